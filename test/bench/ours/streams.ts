import { Effect, Layer, ManagedRuntime, Redacted, Schedule } from "effect"
import { eventLogRelay } from "#actors/eventLogRelay.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { EventLog, type NewEvent } from "#src/mesh/EventLog.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { base } from "#src/roles/Base.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { gateway } from "#src/roles/Gateway.ts"
import { externalSimulator } from "#src/roles/SimulatorChild.ts"
import { Stores } from "#src/roles/Stores.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { runningVenue } from "#test/support/venue.ts"
import { expose } from "../support/expose.ts"
import { residentMegabytes } from "../support/processes.ts"
import type { Committed, StreamSubject } from "../support/streams.ts"
import { configuration } from "./foundation.ts"

const perTransaction = 500
const intervalMillis = 20

const relay = eventLogRelay.pipe(
  Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
)
const runtime = ManagedRuntime.make(
  Layer.merge(gateway, relay).pipe(
    Layer.provideMerge(Layer.merge(foundation, externalSimulator)),
    Layer.provideMerge(base),
    Layer.provideMerge(configuration()),
  ),
)

const now = () => performance.timeOrigin + performance.now()

let fills: ReadonlyArray<NewEvent> = []
let nextFill = 0

const next = (count: number): ReadonlyArray<NewEvent> =>
  Array.from({ length: count }, () => fills[nextFill++ % fills.length] as NewEvent)

const append = (count: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { tx } = yield* Postgres
    yield* tx(log.append(next(count)))
    return now()
  })

/** Fills whose taker is not an exchange: those that all subscribers receive. */
const loadFills = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ block: number; log_index: number }>`
    select block, log_index from fill where taker <> 0 order by block, log_index`
  fills = rows.map(({ block, log_index }) => ({ kind: "fill", ref: BigInt(block), sub: log_index }))
  return fills.length
})

expose<StreamSubject>({
  prepare: () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(7, { scale: "tiny" })
        simulation.settle()
        yield* Effect.gen(function* () {
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(ledger.pipe(Layer.provideMerge(nodeAt(url))))))
        return yield* loadFills
      }).pipe(Effect.scoped),
    ),
  listen: () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { key } = yield* (yield* Keys).open("enterprise", KeyName.make("bench"))
        const address = new Map((yield* Addresses).list()).get("ws") ?? ""
        return { port: Number(new URL(address).port), path: `/ws?key=${Redacted.value(key)}` }
      }),
    ),
  publish: async (count) => {
    for (let left = count; left > 0; left -= perTransaction)
      await runtime.runPromise(append(Math.min(left, perTransaction)))
  },
  trickle: (perSecond, seconds) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const log = yield* EventLog
        const all: Array<Committed> = []
        const once = Effect.gen(function* () {
          const count = Math.round((perSecond * intervalMillis) / 1000)
          const before = yield* log.head
          const at = yield* append(count)
          const events = yield* log.read({ after: before, limit: count })
          for (const { seq } of events) all.push({ seq: Number(seq), at })
        })
        yield* Effect.repeat(
          once,
          Schedule.max([Schedule.fixed(intervalMillis), Schedule.during(`${seconds} seconds`)]),
        )
        return all
      }),
    ),
  pairs: (count) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const rows = yield* sql<{ wallet: string; token: string }>`
          select distinct encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token
          from fill f join wallet w on w.id = f.maker join token t on t.id = f.token
          where f.taker <> 0 order by 1, 2 limit ${count}`
        return rows.map(({ wallet, token }) => ({ wallet: `0x${wallet}`, token: BigInt(`0x${token}`).toString() }))
      }),
    ),
  position: () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const log = yield* EventLog
        return { epoch: log.identity, seq: Number(yield* log.head) }
      }),
    ),
  usage: async () => {
    const { user, system } = process.cpuUsage()
    return { megabytes: residentMegabytes(process.pid), cpuSeconds: (user + system) / 1e6 }
  },
})
