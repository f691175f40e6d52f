import { Clock, Duration, Effect, Option, Queue } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { describe, retryTransient } from "#src/platform/sqlFailure.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import type { Intake } from "./Intake.ts"
import { type Coin, coins, type Stretch, secondOf, type TickSource } from "./model.ts"
import { judgePage, nextPages, overlapSeconds, type PageVerdict, settledBy } from "./refill.ts"
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

const patiently = retryTransient("1 minute")

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
  const doubts = new Map<string, { readonly verdict: PageVerdict; readonly times: number }>()
  const nothing = new Map<Coin, { readonly from: number; readonly until: bigint }>()
  const startedAt = Math.floor(clock.currentTimeMillisUnsafe() / 1000)

  const nothingFrom = () => {
    const now = clock.monotonicTimeNanosUnsafe()
    for (const [coin, { until }] of nothing) if (until < now) nothing.delete(coin)
    return new Map([...nothing].map(([coin, { from }]) => [coin, from]))
  }

  /** Whether an answer was doubtful in the same way so often that it has to be believed. */
  const isWornOut = ({ coin, from }: Stretch, verdict: PageVerdict) => {
    const key = `${coin} ${from}`
    const before = doubts.get(key)
    if (verdict === "good") doubts.delete(key)
    else doubts.set(key, { verdict, times: before?.verdict === verdict ? before.times + 1 : 1 })
    return verdict !== "ahead" && (doubts.get(key)?.times ?? 0) > patience
  }

  const load = (stretch: Stretch) =>
    Effect.gen(function* () {
      const { coin, from, to } = stretch
      const known = yield* patiently(store.read(source, coin, from * 1000, (to + overlapSeconds) * 1000))
      const page = yield* streams.history(coin, from, to - from + overlapSeconds)
      const receivedAt = clock.currentTimeMillisUnsafe()
      const verdict = judgePage(page, known, receivedAt)
      metrics.refill(verdict)
      const isBelieved = isWornOut(stretch, verdict) || verdict === "good"
      if (!isBelieved && verdict !== "unread") {
        yield* intake.quarantine(verdict, page.ticks)
        return false
      }
      const settledTo = isBelieved ? settledBy(stretch, page.ticks) : from
      const ticks = page.ticks.filter((tick) => secondOf(tick) < to)
      if (isBelieved && settledTo < to) {
        nothing.set(coin, { from: settledTo, until: clock.monotonicTimeNanosUnsafe() + nothingFor })
      }
      const recorded = yield* intake.keep({
        ticks: ticks.map((tick) => ({ ...tick, receivedAt })),
        settled: settledTo > from ? [{ coin, from, to: settledTo }] : [],
      })
      metrics.refilled(coin, recorded.stored)
      yield* intake.late(ticks)
      return isBelieved
    }).pipe(
      Effect.catchTag("UpstreamFailure", (failure) =>
        Effect.gen(function* () {
          metrics.refill(failure.reason)
          yield* Effect.logWarning(`${source}: history of ${stretch.coin}: ${failure.message}`)
          return false
        }),
      ),
    )

  const missing = (from: number, to: number) => patiently(store.missing(source, from, to))

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
