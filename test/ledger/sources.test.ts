import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Schedule } from "effect"
import { followChain } from "#src/ledger/follow.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { repairTimes } from "#src/repair/repairTimes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { consistentNode } from "#src/upstream/chain/ConsistentNode.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { counted, fault, heal } from "#test/ticks/support.ts"
import { assertEveryFactPublished } from "./support/folded.ts"
import { ledger } from "./support/following.ts"
import { assertTrueTimes } from "./support/times.ts"
import { assertEqualsTruth } from "./support/truth.ts"

const minute = 60_000
const quick = {
  "upstream.rpc.poll-every": "50ms",
  "upstream.rpc.heads-silent-after": "500ms",
  // Every test reads this many blocks one by one.
  "ledger.reorg-depth": "60",
}

/** Private stores and a ledger on the venue at this address; log lines are recorded. */
const world = (url: string, lines: Array<string>, flags: Record<string, string> = {}) =>
  Layer.merge(ledger, consistentNode.pipe(Layer.provide(upstreamsAt(url)))).pipe(
    Layer.provideMerge(testFoundation({ "event-log.retention": "3650d", ...quick, ...flags })),
    Layer.merge(Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])),
    Layer.orDie,
  )

/** Follows like the actor, which restarts after a failure. */
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
  const store = yield* Ledger
  return Option.getOrThrow(yield* store.cursor)
})

const isAtHead = ({ head, chain }: Simulation) =>
  Effect.gen(function* () {
    const store = yield* Ledger
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

/** Advances time until the effect completes. */
const whilePassing = <A, E, R>(simulation: Simulation, happens: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    happens,
    Effect.repeat(
      Effect.sync(() => simulation.advance(2_000)),
      Schedule.spaced("100 millis"),
    ),
  )

const publishedReorgs = Effect.gen(function* () {
  const log = yield* EventLog
  return (yield* log.read({ after: 0n, limit: 1_000, kinds: ["reorg"] })).map(({ ref }) => Number(ref))
})

const isLogged = (lines: ReadonlyArray<string>, pattern: RegExp) =>
  eventually(
    `a line matches ${pattern}`,
    Effect.sync(() => lines.some((line) => pattern.test(line))),
  )

/** The ledger and its events equal the venue's. */
const equalsVenue = (simulation: Simulation) =>
  Effect.gen(function* () {
    simulation.settle()
    yield* caughtUp(simulation)
    yield* assertEqualsTruth(simulation)
    yield* assertTrueTimes(simulation)
    yield* assertEveryFactPublished
  })

describe("The follower with an unreliable node", () => {
  it.live("polls while the socket is silent, logs that, and uses the socket again afterwards", () =>
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
        yield* isLogged(lines, /^rpc: silent: .*polling meanwhile$/)
        yield* caughtUp(simulation)
        yield* heal(url)
        const notified = yield* rises(
          "the socket reports again",
          counted("presage_chain_heads_total", { by: "socket" }),
        )
        yield* whilePassing(simulation, notified)
        yield* equalsVenue(simulation)
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("logs a stalled node once, and its recovery", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(62)
      simulation.settle()
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        yield* follow
        const stalled = yield* rises("it is counted", counted("presage_chain_stalls_total"))
        yield* caughtUp(simulation)
        yield* stalled
        yield* isLogged(lines, /^rpc: no block after \d+ for more than 2s: the node lags/)
        simulation.advance(10_000)
        yield* isLogged(lines, /^rpc: new blocks again, after \d+ s$/)
        const recovered = lines.findIndex((line) => /^rpc: new blocks again/.test(line))
        // On a slow machine the node may stall a second time.
        assert.strictEqual(lines.slice(0, recovered).filter((line) => /^rpc: no block after/.test(line)).length, 1)
        yield* equalsVenue(simulation)
      }).pipe(Effect.provide(world(url, lines, { "upstream.rpc.stalled-after": "2s" })))
    }),
  )

  it.live("neither rolls back nor loses facts when some nodes behind the address lag", () =>
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
        assert.deepStrictEqual(yield* publishedReorgs, [])
        const fork = simulation.head - 3
        simulation.reorg(3)
        simulation.advance(4_000)
        yield* caughtUp(simulation)
        assert.deepStrictEqual(yield* publishedReorgs, [fork])
        yield* heal(url)
        yield* equalsVenue(simulation)
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("reads history without gaps when one node behind the address is far behind", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(64)
      simulation.settle()
      yield* Effect.gen(function* () {
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "behind", share: 0.15, blocks: 9_000 })
        yield* follow
        yield* caughtUp(simulation)
        yield* heal(url)
        yield* equalsVenue(simulation)
        assert.deepStrictEqual(yield* publishedReorgs, [])
      }).pipe(Effect.provide(world(url, [])))
    }),
  )
})

describe("The follower with a node that reports wrong times", () => {
  for (const skew_ms of [minute, -minute]) {
    it.live(`stores no wrong time when some answers are off by ${skew_ms / minute} min`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(65)
        simulation.settle()
        const lines: Array<string> = []
        yield* Effect.gen(function* () {
          yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", share: 0.1, skew_ms })
          const rejected = yield* rises("it is counted", counted("presage_chain_wrong_times_total"))
          yield* follow
          yield* caughtUp(simulation)
          for (let round = 0; round < 10; round++) {
            simulation.advance(10_000)
            yield* caughtUp(simulation)
          }
          yield* rejected
          yield* heal(url)
          simulation.advance(4_000)
          yield* equalsVenue(simulation)
        }).pipe(Effect.provide(world(url, lines)))
      }),
    )
  }

  it.live("rolls back blocks with a small error of time as soon as the error ends", () =>
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
        yield* isLogged(
          lines,
          /^the node had reported wrong times: rolled back from block \d+ to \d+, \d+ events retracted$/,
        )
        yield* equalsVenue(simulation)
        assert.deepStrictEqual(yield* publishedReorgs, [fork])
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("rejects times that run backwards and writes nothing meanwhile", () =>
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
        yield* isLogged(lines, /^rpc: block \d+ is older than the one before it/)
        assert.deepStrictEqual(yield* cursor, before)
        yield* heal(url)
        yield* equalsVenue(simulation)
      }).pipe(Effect.provide(world(url, lines)))
    }),
  )

  it.live("rejects blocks of a real node that are far ahead of the clock", () =>
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
        yield* isLogged(lines, /^rpc: block \d+ is more than 5m ahead of this machine's clock/)
        assert.deepStrictEqual(yield* cursor, before)
        yield* heal(url)
        yield* equalsVenue(simulation)
        assert.deepStrictEqual(yield* publishedReorgs, [])
      }).pipe(Effect.provide(world(url, lines, real)))
    }),
  )
})
