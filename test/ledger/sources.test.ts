import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Schedule } from "effect"
import { followChain } from "#src/ledger/follow.ts"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { repairTimes } from "#src/ledger/repairTimes.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Leases } from "#src/mesh/Lease.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { truthfulNode } from "#src/upstream/chain/TruthfulNode.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { counted, fault, heal } from "#test/ticks/support.ts"
import { ledger } from "./following.ts"
import { assertEveryFactTold } from "./support/folded.ts"
import { assertTrueTimes } from "./support/times.ts"
import { assertEqualsTruth } from "./truth.ts"

const minute = 60_000
const quick = {
  "upstream.rpc.poll-every": "50ms",
  "upstream.rpc.heads-silent-after": "500ms",
  // The end of the history, so many blocks, is read one block after the other in every test.
  "ledger.reorg-depth": "60",
}

/** Stores of its own and the ledger on a venue at this address; what is logged is kept. */
const world = (url: string, lines: Array<string>, flags: Record<string, string> = {}) =>
  Layer.merge(ledger, truthfulNode.pipe(Layer.provide(upstreamsAt(url)))).pipe(
    Layer.provideMerge(testFoundation({ "event-log.retention": "3650d", ...quick, ...flags })),
    Layer.merge(Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])),
    Layer.orDie,
  )

/** Follows as the actor does: when it fails it begins anew. */
const follow = Effect.gen(function* () {
  const leases = yield* Leases
  const life = Effect.gen(function* () {
    const lease = yield* leases.seize("chain")
    yield* repairTimes(lease)
    yield* followChain(lease)
  })
  yield* Effect.forkScoped(
    life.pipe(
      Effect.tapError((error) => Effect.logWarning(`the follower failed: ${error.message}`)),
      Effect.retry(Schedule.spaced("50 millis")),
    ),
  )
})

const cursor = Effect.gen(function* () {
  const store = yield* LedgerStore
  return Option.getOrThrow(yield* store.cursor)
})

const isAtHead = ({ head, chain }: Simulation) =>
  Effect.gen(function* () {
    const store = yield* LedgerStore
    return Option.match(yield* store.cursor, {
      onNone: () => false,
      onSome: ({ block, hash }) => block === head && `0x${hash}` === chain.hashOf(head),
    })
  })

const caughtUp = (simulation: Simulation) =>
  eventually(
    "the ledger is at the newest block",
    Effect.suspend(() => isAtHead(simulation)),
    "60 seconds",
  )

const rises = (what: string, metric: Effect.Effect<number>) =>
  Effect.gen(function* () {
    const before = yield* metric
    return eventually(
      what,
      Effect.map(metric, (now) => now > before),
    )
  })

/** Lets time pass until something has happened. */
const whilePassing = <A, E, R>(simulation: Simulation, happens: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    happens,
    Effect.repeat(
      Effect.sync(() => simulation.advance(2_000)),
      Schedule.spaced("100 millis"),
    ),
  )

const reorgsTold = Effect.gen(function* () {
  const log = yield* EventLog
  return (yield* log.read({ after: 0n, limit: 1_000, kinds: ["reorg"] })).map(({ ref }) => Number(ref))
})

const said = (lines: ReadonlyArray<string>, pattern: RegExp) =>
  eventually(
    `the log says ${pattern}`,
    Effect.sync(() => lines.some((line) => pattern.test(line))),
  )

/** Nothing differs from what the venue knows. */
const allIsTrue = (simulation: Simulation) =>
  Effect.gen(function* () {
    simulation.settle()
    yield* caughtUp(simulation)
    yield* assertEqualsTruth(simulation)
    yield* assertTrueTimes(simulation)
    yield* assertEveryFactTold
  })

describe("A node that is not to be relied upon", () => {
  it.live("has a socket that falls silent: it is said, the node is polled, and the socket is used again", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(61)
      simulation.settle()
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        yield* follow
        yield* caughtUp(simulation)
        yield* fault(url, { upstream: "rpc", channel: "socket", kind: "silent" })
        const reconnected = yield* rises(
          "it is counted",
          counted("presage_upstream_reconnects_total", { upstream: "rpc" }),
        )
        const polled = yield* rises("the node is polled", counted("presage_chain_heads_total", { by: "poll" }))
        simulation.advance(20_000)
        yield* reconnected
        yield* polled
        yield* said(lines, /^rpc: silent: .*polling meanwhile$/)
        yield* caughtUp(simulation)
        yield* heal(url)
        const told = yield* rises("the socket tells again", counted("presage_chain_heads_total", { by: "socket" }))
        yield* whilePassing(simulation, told)
        yield* allIsTrue(simulation)
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("stands still: it is said once, and that it is over", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(62)
      simulation.settle()
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        yield* follow
        const stalled = yield* rises("it is counted", counted("presage_chain_stalls_total"))
        yield* caughtUp(simulation)
        yield* stalled
        yield* said(lines, /^rpc: no block after \d+ for more than 2s: the node lags/)
        simulation.advance(10_000)
        yield* said(lines, /^rpc: new blocks again, after \d+ s$/)
        const over = lines.findIndex((line) => /^rpc: new blocks again/.test(line))
        // On a slow machine it stands still for as long a second time.
        assert.strictEqual(lines.slice(0, over).filter((line) => /^rpc: no block after/.test(line)).length, 1)
        yield* allIsTrue(simulation)
      }).pipe(Effect.provide(world(url, lines, { "upstream.rpc.stalled-after": "2s" })))
    }),
  )

  it.live("is several nodes, some of them behind: nothing is taken back for it, and nothing is lost", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(63)
      simulation.settle()
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "behind", share: 0.3, blocks: 4 })
        yield* follow
        yield* caughtUp(simulation)
        const older = yield* rises("it is counted", counted("presage_chain_older_heads_total"))
        for (let round = 0; round < 6; round++) {
          simulation.advance(6_000)
          yield* caughtUp(simulation)
        }
        yield* whilePassing(simulation, older)
        yield* caughtUp(simulation)
        assert.deepStrictEqual(yield* reorgsTold, [])
        const fork = simulation.head - 3
        simulation.reorg(3)
        simulation.advance(4_000)
        yield* caughtUp(simulation)
        assert.deepStrictEqual(yield* reorgsTold, [fork])
        yield* heal(url)
        yield* allIsTrue(simulation)
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("is several nodes, one of which still has much to read: its history has no holes", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(64)
      simulation.settle()
      yield* Effect.gen(function* () {
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "behind", share: 0.15, blocks: 9_000 })
        yield* follow
        yield* caughtUp(simulation)
        yield* heal(url)
        yield* allIsTrue(simulation)
        assert.deepStrictEqual(yield* reorgsTold, [])
      }).pipe(Effect.provide(world(url, [])))
    }),
  )
})

describe("A node that lies about time", () => {
  for (const skew_ms of [minute, -minute]) {
    it.live(`now and then, by ${skew_ms / minute} min: no wrong time is kept, of the past or of the present`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(65)
        simulation.settle()
        const lines: Array<string> = []
        yield* Effect.gen(function* () {
          yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", share: 0.1, skew_ms })
          const doubted = yield* rises("it is counted", counted("presage_chain_wrong_times_total"))
          yield* follow
          yield* caughtUp(simulation)
          for (let round = 0; round < 10; round++) {
            simulation.advance(10_000)
            yield* caughtUp(simulation)
          }
          yield* doubted
          yield* heal(url)
          simulation.advance(4_000)
          yield* allIsTrue(simulation)
        }).pipe(Effect.provide(world(url, lines)))
      }),
    )
  }

  it.live("for a while, too little to be seen: as soon as it stops, what was written is taken back", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(66)
      simulation.settle()
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        yield* follow
        yield* caughtUp(simulation)
        const fork = simulation.head
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", skew_ms: minute })
        simulation.advance(10_000)
        yield* caughtUp(simulation)
        yield* heal(url)
        simulation.advance(4_000)
        yield* said(lines, /^the node had told wrong times: back from block \d+ to \d+, \d+ events retracted$/)
        yield* allIsTrue(simulation)
        assert.deepStrictEqual(yield* reorgsTold, [fork])
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("so that it runs backwards: it is not believed, and nothing is written until it stops", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(67)
      simulation.settle()
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        yield* follow
        yield* caughtUp(simulation)
        const before = yield* cursor
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", skew_ms: -minute })
        const refused = yield* rises("it is counted", counted("presage_chain_wrong_times_total", { kind: "backwards" }))
        simulation.advance(10_000)
        yield* refused
        yield* said(lines, /^rpc: block \d+ is older than the one before it/)
        assert.deepStrictEqual(yield* cursor, before)
        yield* heal(url)
        yield* allIsTrue(simulation)
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("and is far ahead of our clock: a real one is not believed", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(68, { genesis: undefined, clock: Date.now })
      simulation.settle()
      const lines: Array<string> = []
      const real = { upstream: "polymarket", "upstream.rpc-url": `${url}/rpc` }
      yield* Effect.gen(function* () {
        yield* follow
        yield* caughtUp(simulation)
        const before = yield* cursor
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", skew_ms: 60 * minute })
        const refused = yield* rises("it is counted", counted("presage_chain_wrong_times_total", { kind: "ahead" }))
        simulation.advance(10_000)
        yield* refused
        yield* said(lines, /^rpc: block \d+ is more than 5m ahead of this machine's clock/)
        assert.deepStrictEqual(yield* cursor, before)
        yield* heal(url)
        yield* allIsTrue(simulation)
        assert.deepStrictEqual(yield* reorgsTold, [])
      }).pipe(Effect.provide(world(url, lines, real)))
    }),
  )
})
