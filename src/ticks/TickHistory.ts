import { Clock, Duration, Effect, Option, Queue } from "effect"
import { unfinishedReads } from "#src/catalogue/ReferenceStore.ts"
import { type Coin, coins, secondOf, type TickRange, type TickSource } from "#src/domain/Tick.ts"
import { historyIsBeingRead } from "#src/ledger/historyIsComplete.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import type { Intake } from "./Intake.ts"
import { checkPage, nextPages, overlapSeconds, type PageCheck, settledUntil } from "./refill.ts"
import { ticksHistory, ticksReadyHistory, ticksRetention } from "./settings.ts"
import { TickStore } from "./TickStore.ts"

const source: TickSource = "oracle_data_streams"

/** By then live ticks are stored and reordered ones have arrived. */
const graceSeconds = 3

/** Requests for a partly unreadable page before its readable ticks are accepted. */
const maxUnread = 5

/** A source that contradicts stored ticks for longer than this, in nanoseconds, is accepted as having changed them. */
const maxContradictionNanos = 600_000_000_000n

/** Delay before the next request after a page without newer ticks or a rejected one. */
const retryDelayNanos = 5_000_000_000n

const idlePause = Duration.seconds(1)
/** Pause between requests for older history; longer while ledger and catalogue are first loaded, which has priority. */
const backgroundPause = "300 millis"
const pauseDuringFirstLoad = "10 seconds"

const withRetry = retryTransient("1 minute")

interface SuspectPage {
  readonly check: PageCheck
  readonly times: number
  readonly since: bigint
}

/**
 * Loads missing ticks from the oracle's history: recent hours on the first start, outages between connections, single
 * seconds. One rule covers all cases: the newest missing range of each coin is loaded next.
 */
export const makeTickHistory = Effect.fnUntraced(function* (intake: Intake) {
  const streams = yield* DataStreams
  const store = yield* TickStore
  const { reads } = yield* Postgres
  const config = yield* Configuration
  const clock = yield* Clock.Clock
  const { metrics } = intake
  const wakes = yield* Queue.sliding<void>(1)
  const suspects = new Map<string, SuspectPage>()
  const exhausted = new Map<Coin, { readonly from: number; readonly until: bigint }>()
  const startedAt = Math.floor(clock.currentTimeMillisUnsafe() / 1000)

  const readyBack = Math.floor(Duration.toSeconds(config.get(ticksReadyHistory)))

  const exhaustedFrom = () => {
    const now = clock.monotonicTimeNanosUnsafe()
    for (const [coin, { until }] of exhausted) if (until < now) exhausted.delete(coin)
    return new Map([...exhausted].map(([coin, { from }]) => [coin, from]))
  }

  /** Requests no seconds from `from` on until the retry delay has passed. */
  const skipFrom = (coin: Coin, from: number) =>
    exhausted.set(coin, { from, until: clock.monotonicTimeNanosUnsafe() + retryDelayNanos })

  /** Whether a page has been suspect in the same way for long enough to be accepted. */
  const mustAccept = ({ coin, from }: TickRange, check: PageCheck) => {
    const key = `${coin} ${from}`
    const now = clock.monotonicTimeNanosUnsafe()
    const last = suspects.get(key)
    const suspect = last?.check === check ? { ...last, times: last.times + 1 } : { check, times: 1, since: now }
    if (check === "good") suspects.delete(key)
    else suspects.set(key, suspect)
    if (check === "unread") return suspect.times > maxUnread
    return check === "contradiction" && now - suspect.since > maxContradictionNanos
  }

  const load = (range: TickRange) =>
    Effect.gen(function* () {
      const { coin, from, to } = range
      const known = yield* withRetry(store.read(source, coin, from * 1000, (to + overlapSeconds) * 1000))
      const page = yield* streams.history(coin, from, to - from + overlapSeconds)
      const receivedAt = clock.currentTimeMillisUnsafe()
      const check = checkPage(page, known, receivedAt)
      metrics.refill(check)
      const isAccepted = mustAccept(range, check) || check === "good"
      if (!isAccepted && check !== "unread") {
        // A source with a wrong clock would also shift older history, where no stored tick reveals it.
        skipFrom(coin, 0)
        yield* intake.quarantine(check, page.ticks)
        return false
      }
      const settledTo = isAccepted ? settledUntil(range, page.ticks) : from
      const ticks = page.ticks.filter((tick) => secondOf(tick) < to)
      if (isAccepted && settledTo < to) skipFrom(coin, settledTo)
      const recorded = yield* intake.save({
        ticks: ticks.map((tick) => ({ ...tick, receivedAt })),
        settled: settledTo > from ? [{ coin, from, to: settledTo }] : [],
        areNew: known.every((tick) => secondOf(tick) >= to),
      })
      metrics.refilled(coin, recorded.stored)
      yield* intake.publishRecent(ticks)
      return isAccepted
    }).pipe(
      Effect.catchTag("UpstreamFailure", (failure) =>
        Effect.gen(function* () {
          metrics.refill(failure.reason)
          yield* Effect.logWarning(`${source}: history of ${range.coin}: ${failure.message}`)
          return false
        }),
      ),
    )

  const isFirstLoad = Effect.gen(function* () {
    const [ledger] = yield* withRetry(reads<{ reading: boolean }>`
      select ${historyIsBeingRead(reads)} as reading from chain_cursor`)
    return ledger !== undefined && (ledger.reading || (yield* withRetry(unfinishedReads(reads))).length > 0)
  })
  const missing = (from: number, to: number) => withRetry(store.missing(source, from, to))

  /** Returns whether to continue without a pause. */
  const pass = Effect.gen(function* () {
    const now = Math.floor(clock.currentTimeMillisUnsafe() / 1000)
    const back = Math.floor(Duration.toSeconds(config.get(ticksHistory)))
    // After a long outage, ticks past the retention are not requested: they would be dropped immediately.
    const oldest = now - Math.floor(Duration.toSeconds(config.get(ticksRetention)))
    // What readiness waits for is requested however long it takes.
    const from = Math.min(now - back, startedAt - readyBack)
    const unknown = yield* missing(Math.max(from, oldest), now - graceSeconds)
    const ranges = unknown.flatMap((each) =>
      each.to <= oldest ? [] : [{ ...each, from: Math.max(each.from, oldest) }],
    )
    const pages = nextPages(ranges, exhaustedFrom())
    // Older history is not urgent: it yields to the other work of this process.
    const isUrgent = pages.some(({ to }) => to > startedAt - readyBack)
    const loaded = yield* Effect.forEach(pages, load, { concurrency: isUrgent ? coins.length : 1 })
    if (!isUrgent && loaded.length > 0)
      yield* Effect.sleep((yield* isFirstLoad) ? pauseDuringFirstLoad : backgroundPause)
    return loaded.length > 0 && loaded.every((done) => done)
  })

  let isReady = false

  /** Why recent history is incomplete; once complete, it stays so. */
  const readiness = Effect.gen(function* () {
    if (isReady) return Option.none<string>()
    const remaining = yield* store.missing(source, startedAt - readyBack, startedAt - graceSeconds)
    const perRange = remaining.map(({ from, to }) => to - Math.max(from, startedAt - readyBack))
    const seconds = perRange.reduce((sum, each) => sum + Math.max(0, each), 0)
    isReady = seconds === 0
    const share = 100 - (100 * seconds) / (coins.length * (readyBack - graceSeconds))
    return isReady ? Option.none<string>() : Option.some(`loading recent ticks: ${share.toFixed(1)} %`)
  })

  const pause = Effect.raceFirst(Effect.sleep(idlePause), Queue.take(wakes))

  return {
    pass,
    /** Starts the next pass immediately. */
    wake: Effect.sync(() => {
      exhausted.clear()
      Queue.offerUnsafe(wakes, undefined)
    }),
    readiness: Effect.mapError(readiness, describe),
    run: Effect.forever(Effect.flatMap(pass, (more) => (more ? Effect.void : pause))),
  }
})
