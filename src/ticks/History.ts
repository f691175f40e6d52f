import { Clock, Duration, Effect, Option, Queue } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { describe, retryTransient } from "#src/platform/sqlFailure.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import type { Intake } from "./Intake.ts"
import { type Coin, coins, type Stretch, type TickSource } from "./model.ts"
import { judgePage, nextPages, overlapSeconds } from "./refill.ts"
import { ticksHistory, ticksReadyHistory } from "./settings.ts"
import { TickStore } from "./TickStore.ts"

const source: TickSource = "oracle_data_streams"

/** What came live is stored after this, and what was overtaken on the way has come. */
const graceSeconds = 3

/** How often a doubtful answer is asked for again before it counts. */
const patience = 5

/** After an answer with nothing newer in it, the source is asked for that again after this. */
const nothingFor = 5_000_000_000n

const idle = Duration.seconds(1)

/**
 * Loads whatever is missing from the oracle's history: the recent past of a first start, what was missed between two
 * connections, single seconds that got lost. One rule does for all: the newest missing part of each coin comes next.
 */
export const makeHistory = Effect.fnUntraced(function* (intake: Intake) {
  const streams = yield* DataStreams
  const store = yield* TickStore
  const config = yield* Configuration
  const clock = yield* Clock.Clock
  const { metrics } = intake
  const wakes = yield* Queue.sliding<void>(1)
  const doubts = new Map<string, number>()
  const nothing = new Map<Coin, { readonly from: number; readonly until: bigint }>()
  const startedAt = Math.floor(clock.currentTimeMillisUnsafe() / 1000)

  const nothingFrom = () => {
    const now = clock.monotonicTimeNanosUnsafe()
    for (const [coin, { until }] of nothing) if (until < now) nothing.delete(coin)
    return new Map([...nothing].map(([coin, { from }]) => [coin, from]))
  }

  const load = (stretch: Stretch) =>
    Effect.gen(function* () {
      const { coin, from, to } = stretch
      const anchors = yield* store.read(source, coin, to * 1000, (to + overlapSeconds) * 1000)
      const page = yield* streams.history(coin, from, to - from + overlapSeconds)
      const key = `${coin} ${from}`
      const doubted = doubts.get(key) ?? 0
      const receivedAt = clock.currentTimeMillisUnsafe()
      const verdict = judgePage(stretch, page, anchors, receivedAt, doubted < patience)
      if (verdict.kind !== "good" || page.unread > 0) doubts.set(key, doubted + 1)
      else doubts.delete(key)
      if (verdict.kind !== "good") {
        metrics.refill(verdict.kind)
        yield* intake.quarantine(verdict.kind, page.ticks)
        return false
      }
      const { ticks, settledTo } = verdict
      if (ticks.length === page.ticks.length && settledTo < to && page.unread === 0) {
        nothing.set(coin, { from: settledTo, until: clock.monotonicTimeNanosUnsafe() + nothingFor })
      }
      const recorded = yield* intake.keep({
        ticks: ticks.map((tick) => ({ ...tick, receivedAt })),
        settled: settledTo > from ? [{ coin, from, to: settledTo }] : [],
      })
      metrics.refill("done")
      metrics.refilled(coin, recorded.stored)
      yield* intake.late(ticks)
      return page.unread === 0
    }).pipe(
      Effect.catchTag("UpstreamFailure", (failure) =>
        Effect.gen(function* () {
          metrics.refill(failure.reason)
          yield* Effect.logWarning(`${source}: history of ${stretch.coin}: ${failure.message}`)
          return false
        }),
      ),
    )

  const missing = (from: number, to: number) => retryTransient("1 minute")(store.missing(source, from, to))

  /** Whether there is more to do right away. */
  const pass = Effect.gen(function* () {
    const now = Math.floor(clock.currentTimeMillisUnsafe() / 1000)
    const back = Math.floor(Duration.toSeconds(config.get(ticksHistory)))
    const pages = nextPages(yield* missing(now - back, now - graceSeconds), nothingFrom())
    const loaded = yield* Effect.forEach(pages, load, { concurrency: coins.length })
    return loaded.length > 0 && loaded.every((done) => done)
  })

  const readyBack = Math.floor(Duration.toSeconds(config.get(ticksReadyHistory)))
  let isReady = false

  /** Why the recent past is not complete yet; once it was, the answer stays. */
  const readiness = Effect.gen(function* () {
    if (isReady) return Option.none<string>()
    const left = yield* store.missing(source, startedAt - readyBack, startedAt - graceSeconds)
    const ofRecent = left.map(({ from, to }) => to - Math.max(from, startedAt - readyBack))
    const seconds = ofRecent.reduce((sum, each) => sum + Math.max(0, each), 0)
    isReady = seconds === 0
    const share = 100 - (100 * seconds) / (coins.length * (readyBack - graceSeconds))
    return isReady ? Option.none<string>() : Option.some(`loading the ticks of the last hours: ${share.toFixed(1)} %`)
  })

  const pause = Effect.raceFirst(Effect.sleep(idle), Queue.take(wakes))

  return {
    pass,
    /** Looks at once, not when it is time. */
    wake: Effect.sync(() => {
      nothing.clear()
      Queue.offerUnsafe(wakes, undefined)
    }),
    readiness: Effect.mapError(readiness, describe),
    run: Effect.forever(Effect.flatMap(pass, (more) => (more ? Effect.void : pause))),
  }
})
