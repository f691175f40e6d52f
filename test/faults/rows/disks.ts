import assert from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { ofWorker } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"
import type { OnSmallDisk } from "../support/smallDisk.ts"

const lastsSeconds = 30

/** The disk of everything that an instance keeps. */
export const disks: ReadonlyArray<Row<OnSmallDisk>> = [
  {
    name: `the disk is full for ${lastsSeconds} s`,
    within: 30,
    mayRepeat: ofWorker,
    // Redis appends to its file all the time; Postgres has room in the pages that it has.
    tells: { guilty: "redis", withinSeconds: 15 },
    fault: ({ fillDisk, freeDisk }) =>
      Effect.gen(function* () {
        assert.ok(yield* fillDisk, "the disk was full before")
        yield* Effect.repeat(fillDisk, Schedule.spaced("1 second")).pipe(
          Effect.timeoutOption(`${lastsSeconds} seconds`),
        )
        yield* freeDisk
      }),
  },
]
