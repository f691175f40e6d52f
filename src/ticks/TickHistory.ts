import { Clock, Duration, Effect, Option, Queue } from "effect"
import { type Coin, coins, type TickRange, secondOf, type TickSource } from "#src/domain/Tick.ts"
import { historyIsBeingRead } from "#src/ledger/historyIsComplete.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import type { Intake } from "./Intake.ts"
import { judgePage, nextPages, overlapSeconds, type PageVerdict, settledBy } from "./refill.ts"
import { ticksHistory, ticksReadyHistory, ticksRetention } from "./settings.ts"
import { TickStore } from "./TickStore.ts"

const source: TickSource = "oracle_data_streams"

/** What came live is stored after this, and what was overtaken on the way has come. */
const graceSeconds = 3

/** How often an answer that cannot be read whole is asked for again before the rest of it counts. */
const mostUnread = 5

/** How long a source may contradict what is known before it is believed to have changed its mind, in nanoseconds. */
const longestContradiction = 600_000_000_000n

/** After an answer with nothing newer in it, or one that is not believed, the source is asked again after this. */
const restFor = 5_000_000_000n

const idle = Duration.seconds(1)
/** Between two looks at the older past; longer while the ledger is filled, for which everybody waits. */
const breath = "300 millis"
const longBreath = "10 seconds"

const patiently = retryTransient("1 minute")

interface Doubt {
  readonly verdict: PageVerdict
  readonly times: number
  readonly since: bigint
}

/**
 * Loads whatever is missing from the oracle's history: the recent past of a first start, what was missed between two
 * connections, single seconds that got lost. One rule does for all: the newest missing part of each coin comes next.
 */
export const makeTickHistory = Effect.fnUntraced(function* (intake: Intake) {
  const streams = yield* DataStreams
  const store = yield* TickStore
  const { reads } = yield* Postgres
  const config = yield* Configuration
  const clock = yield* Clock.Clock
  const { metrics } = intake
  const wakes = yield* Queue.sliding<void>(1)
  const doubts = new Map<string, Doubt>()
  const nothing = new Map<Coin, { readonly from: number; readonly until: bigint }>()
  const startedAt = Math.floor(clock.currentTimeMillisUnsafe() / 1000)

  const readyBack = Math.floor(Duration.toSeconds(config.get(ticksReadyHistory)))

  const nothingFrom = () => {
    const now = clock.monotonicTimeNanosUnsafe()
    for (const [coin, { until }] of nothing) if (until < now) nothing.delete(coin)
    return new Map([...nothing].map(([coin, { from }]) => [coin, from]))
  }

  /** Seconds from `from` on are not asked for in the next moments. */
  const rest = (coin: Coin, from: number) =>
    nothing.set(coin, { from, until: clock.monotonicTimeNanosUnsafe() + restFor })

  /** Whether an answer was doubtful in the same way for so long that it has to be believed. */
  const isWornOut = ({ coin, from }: TickRange, verdict: PageVerdict) => {
    const key = `${coin} ${from}`
    const now = clock.monotonicTimeNanosUnsafe()
    const last = doubts.get(key)
    const doubt = last?.verdict === verdict ? { ...last, times: last.times + 1 } : { verdict, times: 1, since: now }
    if (verdict === "good") doubts.delete(key)
    else doubts.set(key, doubt)
    if (verdict === "unread") return doubt.times > mostUnread
    return verdict === "contradiction" && now - doubt.since > longestContradiction
  }

  const load = (stretch: TickRange) =>
    Effect.gen(function* () {
      const { coin, from, to } = stretch
      const known = yield* patiently(store.read(source, coin, from * 1000, (to + overlapSeconds) * 1000))
      const page = yield* streams.history(coin, from, to - from + overlapSeconds)
      const receivedAt = clock.currentTimeMillisUnsafe()
      const verdict = judgePage(page, known, receivedAt)
      metrics.refill(verdict)
      const isBelieved = isWornOut(stretch, verdict) || verdict === "good"
      if (!isBelieved && verdict !== "unread") {
        // Whoever is wrong about time now would be so about the older past, where nothing shows it.
        rest(coin, 0)
        yield* intake.quarantine(verdict, page.ticks)
        return false
      }
      const settledTo = isBelieved ? settledBy(stretch, page.ticks) : from
      const ticks = page.ticks.filter((tick) => secondOf(tick) < to)
      if (isBelieved && settledTo < to) rest(coin, settledTo)
      const recorded = yield* intake.keep({
        ticks: ticks.map((tick) => ({ ...tick, receivedAt })),
        settled: settledTo > from ? [{ coin, from, to: settledTo }] : [],
        areNew: known.every((tick) => secondOf(tick) >= to),
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

  const isLedgerFilling = Effect.map(
    patiently(reads<{ filling: boolean }>`select ${historyIsBeingRead(reads)} as filling`),
    ([row]) => row?.filling === true,
  )
  const missing = (from: number, to: number) => patiently(store.missing(source, from, to))

  /** Whether there is more to do right away. */
  const pass = Effect.gen(function* () {
    const now = Math.floor(clock.currentTimeMillisUnsafe() / 1000)
    const back = Math.floor(Duration.toSeconds(config.get(ticksHistory)))
    // A source that was away for very long is not asked for what would be dropped at once.
    const oldest = now - Math.floor(Duration.toSeconds(config.get(ticksRetention)))
    const lost = yield* missing(Math.max(now - back, oldest), now - graceSeconds)
    const wanted = lost.flatMap((each) => (each.to <= oldest ? [] : [{ ...each, from: Math.max(each.from, oldest) }]))
    const pages = nextPages(wanted, nothingFrom())
    // Nobody waits for the older past, and everybody for what else this process does.
    const isUrgent = pages.some(({ to }) => to > startedAt - readyBack)
    const loaded = yield* Effect.forEach(pages, load, { concurrency: isUrgent ? coins.length : 1 })
    if (!isUrgent && loaded.length > 0) yield* Effect.sleep((yield* isLedgerFilling) ? longBreath : breath)
    return loaded.length > 0 && loaded.every((done) => done)
  })

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
