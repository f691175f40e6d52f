import assert from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { ofAllWorkers, ofWorker } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"
import type { Disk, OnSmallDisk, OnStoreDisks } from "../support/smallDisk.ts"

const lastsSeconds = 30
/** Until a chain without new blocks makes a service unready, and a little more. */
const untilReadinessFailsSeconds = 45

const keepFull = ({ fillDisk, freeDisk }: Disk, seconds: number) =>
  Effect.gen(function* () {
    assert.ok(yield* fillDisk, "the disk was full before")
    yield* Effect.repeat(fillDisk, Schedule.spaced("1 second")).pipe(Effect.timeoutOption(`${seconds} seconds`))
    yield* freeDisk
  })

/** The disk of everything that an instance keeps. */
export const disks: ReadonlyArray<Row<OnSmallDisk>> = [
  {
    name: `the disk is full for ${lastsSeconds} s`,
    within: 30,
    mayRepeat: ofWorker,
    // Redis appends to its file all the time; Postgres has room in the pages that it has.
    tells: { guilty: "redis", withinSeconds: 15 },
    fault: ({ disk }) => keepFull(disk, lastsSeconds),
  },
]

/** The disk of one store alone. */
export const storeDisks: ReadonlyArray<Row<OnStoreDisks>> = [
  {
    name: `the disk of Redis alone is full for ${lastsSeconds} s`,
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "redis", innocent: "postgres", withinSeconds: 15 },
    fault: ({ disks: { redis } }) => keepFull(redis, lastsSeconds),
  },
  {
    name: `the disk of Postgres alone is full for ${untilReadinessFailsSeconds} s`,
    within: 30,
    mayRepeat: ofAllWorkers,
    // Postgres has no cheap probe for a full disk, so readiness shows it by the blocks that are no longer written.
    tells: { guilty: "sources", innocent: "redis", withinSeconds: 40 },
    fault: ({ disks: { postgres } }) => keepFull(postgres, untilReadinessFailsSeconds),
  },
]
