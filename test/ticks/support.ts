import { assert } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Metric, Schedule } from "effect"
import { type Coin, coins, secondOf, type TickSource } from "#src/domain/Tick.ts"
import { type Lease, Leases } from "#src/mesh/Lease.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { followDataStreams } from "#src/ticks/followDataStreams.ts"
import { followPlatform } from "#src/ticks/followPlatform.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import { Polybolt } from "#src/upstream/oracle/Polybolt.ts"
import { Rtds } from "#src/upstream/oracle/Rtds.ts"
import { eventually } from "#test/support/eventually.ts"
import { patience } from "#test/support/patience.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { upstreamsAt } from "#test/support/venue.ts"

export const streams: TickSource = "oracle_data_streams"
export const platform: TickSource = "platform_oracle"
export const averages: TickSource = "platform_twap60"

/** Own stores and all tick services, for a venue at this address. */
export const tickWorld = (url: string, flags: Record<string, string> = {}) =>
  Layer.mergeAll(TickStore.layer, TickTail.layer, DataStreams.layer, Polybolt.layer, Rtds.layer).pipe(
    Layer.provideMerge(upstreamsAt(url)),
    Layer.provideMerge(testFoundation({ "ticks.history": "30m", "ticks.ready-history": "10m", ...flags })),
    Layer.orDie,
  )

/** A clock that shows the simulated time, which can stop and jump. */
export const inTimeOf = (simulation: Simulation) => (real: Clock.Clock) =>
  Clock.Clock.of({
    currentTimeMillisUnsafe: () => simulation.now(),
    currentTimeMillis: Effect.sync(() => simulation.now()),
    currentTimeNanosUnsafe: () => BigInt(simulation.now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(simulation.now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
  })

const follower = (source: TickSource, lease: Lease) =>
  Effect.gen(function* () {
    if (source === streams) yield* followDataStreams(lease)
    else yield* followPlatform(source)(lease)
  })

/** Follows a source as its actor does. */
export const follow = (source: TickSource, simulation: Simulation) =>
  Effect.gen(function* () {
    const leases = yield* Leases
    const lease = yield* leases.seize(`oracle-feed/${source}`)
    const clock = inTimeOf(simulation)(yield* Clock.Clock)
    return yield* Effect.scoped(follower(source, lease)).pipe(
      Effect.provideService(Clock.Clock, clock),
      Effect.forkChild({ startImmediately: true }),
    )
  })

interface Truth {
  readonly ticks: ReadonlyArray<{ second: number; price: number; bid?: number; ask?: number }>
  readonly missing: ReadonlyArray<number>
}

/** The venue's own record of the ticks from `from` to `to`. */
export const truthOf = (url: string, source: TickSource, coin: Coin, from: number, to: number) =>
  Effect.promise(async () => {
    const name = source === streams ? "datastreams" : source === averages ? "twap60" : "rtds"
    const answer = await fetch(`${url}/_sim/truth/ticks?feed=${coin}&source=${name}&from=${from}&to=${to}`)
    return (await answer.json()) as Truth
  })

const storedOf = (source: TickSource, coin: Coin, from: number, to: number) =>
  Effect.gen(function* () {
    const store = yield* TickStore
    const ticks = yield* store.read(source, coin, from * 1000, (to + 1) * 1000)
    const gaps = yield* store.gaps(source, coin)
    const empty = gaps.flatMap((gap) => Array.from({ length: gap.to - gap.from }, (_, i) => gap.from + i))
    return {
      ticks: ticks.map((tick) => [secondOf(tick), tick.at, Number(tick.price), Number(tick.bid), Number(tick.ask)]),
      empty: empty.filter((second) => second >= from && second <= to),
    }
  })

const expectedOf = (url: string, source: TickSource, coin: Coin, from: number, to: number) =>
  Effect.map(truthOf(url, source, coin, from, to), ({ ticks, missing }) => ({
    ticks: ticks.map(({ second, price, bid, ask }) => [second, second * 1000, price, bid ?? price, ask ?? price]),
    empty: missing,
  }))

/** Waits until a range is settled, then expects exactly the venue's ticks and gaps. */
export const equalsTruth = (url: string, source: TickSource, from: number, to: number, within = 30) =>
  Effect.gen(function* () {
    const store = yield* TickStore
    yield* eventually(
      `all ticks of ${source} from ${from} to ${to} are settled`,
      Effect.map(store.missing(source, from, to + 1), (missing) => missing.every((each) => each.to <= from)),
      `${within} seconds`,
    )
    for (const coin of coins) {
      const expected = yield* expectedOf(url, source, coin, from, to)
      assert.deepStrictEqual(yield* storedOf(source, coin, from, to), expected, `${source} ${coin}`)
    }
  })

/** Ten times real time: a follower that reconnects after seconds has not missed minutes. */
const pace = Schedule.spaced("100 millis")

/** Advances the simulation until a condition holds. */
export const passUntil = <E, R>(simulation: Simulation, what: string, condition: Effect.Effect<boolean, E, R>) =>
  Effect.suspend(() => {
    simulation.advance(1_000)
    return condition
  }).pipe(
    Effect.repeat({ schedule: pace, until: (holds) => holds }),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.die(new Error(`did not happen in time: ${what}`)),
    }),
  )

/** Advances the simulation by at least `seconds`, until a later tick has been published. */
export const pass = (source: TickSource, simulation: Simulation, seconds: number) =>
  Effect.gen(function* () {
    const tail = yield* TickTail
    const after = `${(secondsOf(simulation) + seconds - 1) * 1000}-999`
    yield* passUntil(
      simulation,
      `live ticks of ${source}`,
      Effect.map(
        Effect.forEach(coins, (coin) => tail.read(source, coin, after, 1)),
        (read) => read.some(({ length }) => length > 0),
      ),
    )
  })

export const secondsOf = (simulation: Simulation) => Math.floor(simulation.now() / 1000)

export const stop = <A, E>(fiber: Fiber.Fiber<A, E>) => Fiber.interrupt(fiber)

/** Sum of a counter over all series with these labels. */
export const counted = (name: string, labels: Record<string, string> = {}) =>
  Effect.map(Metric.snapshot, (all) =>
    all
      .filter(
        (metric) =>
          metric.id === name && Object.entries(labels).every(([label, value]) => metric.attributes?.[label] === value),
      )
      .reduce((sum, { state }) => sum + Number("count" in state ? state.count : 0), 0),
  )

export const fault = (url: string, body: object) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify({ share: 1, ...body }) })
    if (!answer.ok) throw new Error(await answer.text())
  })

export const heal = (url: string) => Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
