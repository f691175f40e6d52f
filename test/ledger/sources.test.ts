import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Option, Schedule, Scope } from "effect"
import { followChain } from "#src/ledger/follow.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { repairTimes } from "#src/repair/repairTimes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import type { SimulatorOptions } from "#src/simulator/start.ts"
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
  // So many blocks are read one by one at first.
  "ledger.reorg-depth": "20",
}

/** The venue that is followed, and the lines that were logged since. */
class Followed extends Context.Service<
  Followed,
  {
    readonly url: string
    readonly simulation: Simulation
    readonly lines: ReadonlyArray<string>
    readonly scope: Scope.Scope
  }
>()("test/ledger/Followed") {}

/** A settled venue and a ledger for it; the tests of a world share both. */
const world = (seed: number, flags: (url: string) => Record<string, string>, more: Partial<SimulatorOptions> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(seed, { rate: 4, ...more })
      simulation.settle()
      const lines: Array<string> = []
      const scope = yield* Scope.Scope
      return Layer.merge(ledger, consistentNode.pipe(Layer.provide(upstreamsAt(url)))).pipe(
        Layer.provideMerge(testFoundation({ "event-log.retention": "3650d", ...quick, ...flags(url) })),
        Layer.merge(Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])),
        Layer.merge(Layer.succeed(Followed, { url, simulation, lines, scope })),
        Layer.orDie,
      )
    }),
  )

/** Follows like the actor, which restarts after a failure, until the world ends. */
const follow = Effect.gen(function* () {
  const { scope } = yield* Followed
  const leases = yield* Leases
  const life = Effect.gen(function* () {
    const lease = yield* leases.seize("chain")
    yield* repairTimes(lease)
    yield* followChain(lease)
  })
  yield* life.pipe(
    Effect.tapError((error) => Effect.logWarning(`the follower failed: ${error.message}`)),
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.forkIn(scope),
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

/** The blocks to which an effect has rolled the ledger back. */
const reorgsDuring = <E, R>(work: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const { length } = yield* publishedReorgs
    yield* work
    return (yield* publishedReorgs).slice(length)
  })

const isLogged = (lines: ReadonlyArray<string>, pattern: RegExp) =>
  eventually(
    `a line matches ${pattern}`,
    Effect.sync(() => lines.some((line) => pattern.test(line))),
  )

/** Everything has happened and was read; the last test of a world compares it. */
const settled = (simulation: Simulation) =>
  Effect.suspend(() => {
    simulation.settle()
    return caughtUp(simulation)
  })

/** The ledger and its events equal the venue's. */
const equalsVenue = (simulation: Simulation) =>
  Effect.gen(function* () {
    yield* settled(simulation)
    yield* assertEqualsTruth(simulation)
    yield* assertTrueTimes(simulation)
    yield* assertEveryFactPublished
  })

const unreliable = world(61, () => ({ "upstream.rpc.stalled-after": "2s" }))

layer(unreliable, { excludeTestServices: true })("The follower with an unreliable node", (it) => {
  it.effect("reads history without gaps when one node behind the address is far behind", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Followed
      yield* fault(url, { upstream: "rpc", channel: "http", kind: "behind", share: 0.15, blocks: 9_000 })
      yield* follow
      yield* caughtUp(simulation)
      yield* heal(url)
      yield* equalsVenue(simulation)
      assert.deepStrictEqual(yield* publishedReorgs, [])
    }),
  )

  it.effect("logs a stalled node once, and its recovery", () =>
    Effect.gen(function* () {
      const { simulation, lines } = yield* Followed
      const stall = /^rpc: no block after \d+ for more than 2s: the node lags/
      const recovery = /^rpc: new blocks again, after \d+ s$/
      const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length
      yield* eventually(
        "the node stalls",
        Effect.sync(() => count(stall) > count(recovery)),
      )
      const stalls = count(stall)
      const stalledAgain = yield* rises("it is counted", counted("presage_chain_stalls_total"))
      simulation.advance(10_000)
      yield* eventually(
        "the node recovers",
        Effect.sync(() => count(recovery) === stalls),
      )
      const recovered = lines.findLastIndex((line) => recovery.test(line))
      assert.strictEqual(lines.slice(0, recovered).filter((line) => stall.test(line)).length, stalls)
      yield* stalledAgain
      yield* settled(simulation)
    }),
  )

  it.effect("polls while the socket is silent, logs that, and uses the socket again afterwards", () =>
    Effect.gen(function* () {
      const { url, simulation, lines } = yield* Followed
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
      const notified = yield* rises("the socket reports again", counted("presage_chain_heads_total", { by: "socket" }))
      yield* whilePassing(simulation, notified)
      yield* settled(simulation)
    }),
  )

  it.effect("neither rolls back nor loses facts when some nodes behind the address lag", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Followed
      yield* fault(url, { upstream: "rpc", channel: "http", kind: "behind", share: 0.3, blocks: 4 })
      const lagging = Effect.gen(function* () {
        for (let round = 0; round < 3; round++) {
          simulation.advance(6_000)
          yield* caughtUp(simulation)
        }
        // Without the socket, the newest block is asked for as well.
        const older = yield* rises("it is counted", counted("presage_chain_older_heads_total"))
        yield* fault(url, { upstream: "rpc", channel: "socket", kind: "silent" })
        yield* whilePassing(simulation, older)
        yield* caughtUp(simulation)
      })
      assert.deepStrictEqual(yield* reorgsDuring(lagging), [])
      const fork = simulation.head - 3
      const replaced = Effect.suspend(() => {
        simulation.reorg(3)
        simulation.advance(4_000)
        return caughtUp(simulation)
      })
      assert.deepStrictEqual(yield* reorgsDuring(replaced), [fork])
      yield* heal(url)
      yield* equalsVenue(simulation)
    }),
  )
})

/** The clock of this machine is an hour ahead, so that the venue's time can be moved. */
const anHourAgo = Date.now() - 60 * minute

const realNode = (url: string) => ({
  upstream: "polymarket",
  "upstream.rpc-url": `${url}/rpc`,
  "ledger.history": "all",
  "ledger.history-order": "oldest-first",
})
const wrongTimes = world(65, realNode, {
  genesis: anHourAgo,
  clock: () => anHourAgo,
})

layer(wrongTimes, { excludeTestServices: true })("The follower with a real node that reports wrong times", (it) => {
  it.effect("stores no wrong time when some answers are off by a minute", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Followed
      for (const skew_ms of [minute, -minute]) {
        yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", share: 0.05, skew_ms })
      }
      const rejected = yield* rises("it is counted", counted("presage_chain_wrong_times_total"))
      yield* follow
      yield* caughtUp(simulation)
      for (let round = 0; round < 4; round++) {
        simulation.advance(10_000)
        yield* caughtUp(simulation)
      }
      yield* whilePassing(simulation, rejected)
      yield* heal(url)
      simulation.advance(4_000)
      yield* equalsVenue(simulation)
    }),
  )

  it.effect("rolls back blocks with a small error of time as soon as the error ends", () =>
    Effect.gen(function* () {
      const { url, simulation, lines } = yield* Followed
      const fork = simulation.head
      const wrongForAMoment = Effect.gen(function* () {
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
      })
      assert.deepStrictEqual(yield* reorgsDuring(wrongForAMoment), [fork])
    }),
  )

  const rejections = {
    "times that run backwards": ["backwards", -minute, /^rpc: block \d+ is older than the one before it/],
    "blocks that are far ahead of the clock": [
      "ahead",
      120 * minute,
      /^rpc: block \d+ is more than 5m ahead of this machine's clock/,
    ],
  } as const
  for (const [what, [kind, skew_ms, line]] of Object.entries(rejections)) {
    it.effect(`rejects ${what} and writes nothing meanwhile`, () =>
      Effect.gen(function* () {
        const { url, simulation, lines } = yield* Followed
        const rejected = Effect.gen(function* () {
          const before = yield* cursor
          yield* fault(url, { upstream: "rpc", channel: "http", kind: "clock_skew", skew_ms })
          const refused = yield* rises("it is counted", counted("presage_chain_wrong_times_total", { kind }))
          simulation.advance(10_000)
          yield* refused
          yield* isLogged(lines, line)
          assert.deepStrictEqual(yield* cursor, before)
          yield* heal(url)
          yield* equalsVenue(simulation)
        })
        assert.deepStrictEqual(yield* reorgsDuring(rejected), [])
      }),
    )
  }
})
