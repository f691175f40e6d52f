import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { frailService, reachesHead } from "#test/ledger/support/frailService.ts"
import { figures, percentile } from "#test/support/processes/scale.ts"
import { runningVenue } from "#test/support/venue.ts"

const liveWithin = 60_000
const fillsPerSecond = 5_000
/** By how much history may slow live blocks down. */
const slowdown = 1.5
const alone = 45_000

/** Notes for each new block how long after the venue the ledger has it, in milliseconds, until it is interrupted. */
const watchDelays = Effect.fnUntraced(function* (simulation: Simulation, delays: Array<number>) {
  const { sql } = yield* Postgres
  const made = new Map<number, number>()
  let [seen, done] = [simulation.head, simulation.head]
  yield* Effect.sync(() => {
    for (; seen < simulation.head; seen++) made.set(seen + 1, performance.now())
  }).pipe(Effect.repeat(Schedule.spaced("5 millis")), Effect.forkScoped)
  yield* Effect.gen(function* () {
    const [row] = yield* sql<{ block: number }>`select block from chain_cursor`
    const now = performance.now()
    for (; done < (row?.block ?? 0); done++) {
      const at = made.get(done + 1)
      if (at !== undefined) delays.push(now - at)
    }
  }).pipe(Effect.repeat(Schedule.spaced("10 millis")))
})

const during = <A, E, R>(simulation: Simulation, work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const delays: Array<number> = []
      const watching = yield* Effect.forkScoped(watchDelays(simulation, delays))
      yield* Effect.raceFirst(work, Fiber.join(watching))
      return delays.toSorted((a, b) => a - b)
    }),
  )

const coverage = Effect.flatMap(Postgres, ({ sql }) => CoverageStore.read(sql))

describe("History of a dense chain", () => {
  it.live("is read behind live blocks, which come within a minute of the start and hardly later than alone", () =>
    Effect.gen(function* () {
      const genesis = Math.floor(Date.now() / 1000) * 1000
      const { url, simulation } = yield* runningVenue(95, { scale: "dense", rate: 50, genesis, clock: Date.now })
      const begun = performance.now()
      const { stores } = yield* frailService(url, {
        LEDGER_HISTORY: "all",
        LEDGER_HISTORY_ORDER: "newest-first",
        EVENT_LOG_RETENTION: "1d",
      })
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const fills = Effect.map(sql<{ n: number }>`select count(*)::int as n from fill`, ([row]) => row?.n ?? 0)
        yield* reachesHead(simulation, liveWithin)
        const live = performance.now() - begun
        const readBefore = yield* fills
        const whole = Effect.repeat(coverage, {
          until: (found) => found?.facts.isComplete === true,
          schedule: Schedule.spaced("200 millis"),
        })
        const reading = yield* during(simulation, whole)
        const seconds = (performance.now() - begun - live) / 1000
        const read = (yield* fills) - readBefore
        yield* Effect.repeat(coverage, {
          until: (found) => found?.positions.isComplete === true,
          schedule: Schedule.spaced("1 second"),
        })
        const quiet = yield* during(simulation, pause(alone))
        const p99 = (delays: ReadonlyArray<number>) => Math.round(percentile(delays, 0.99))
        figures("history of a dense chain", {
          live_ms: Math.round(live),
          fills: read,
          fills_per_second: Math.round(read / seconds),
          p50_ms: Math.round(percentile(reading, 0.5)),
          p99_ms: p99(reading),
          p50_alone_ms: Math.round(percentile(quiet, 0.5)),
          p99_alone_ms: p99(quiet),
        })
        assert.isBelow(live, liveWithin)
        assert.isAbove(read / seconds, fillsPerSecond)
        assert.isBelow(p99(reading), slowdown * p99(quiet))
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.scoped),
  )
})
