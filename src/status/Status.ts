import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { balancesView } from "./balances.ts"
import { type CombinedReport, combineReports } from "./combineReports.ts"
import { followers } from "./measurements.ts"
import type { SourceStatus, SourcesReport, SourceView } from "./model.ts"
import { type Overview, overviewOf, readTotals } from "./overview.ts"
import * as StatusStore from "./StatusStore.ts"
import { statusEvery } from "./settings.ts"
import { booksView } from "./sources/books.ts"
import { catalogueView, sportsView } from "./sources/catalogue.ts"
import { chainView, mempoolView } from "./sources/chain.ts"
import { eventLogView } from "./sources/eventLog.ts"
import { tickViews } from "./sources/ticks.ts"

/** A process that has not reported for this long, or for three rounds, has ended. */
const reportTimeout = Duration.seconds(15)

const oneDecimal = (value: number) => Math.round(value * 10) / 10

const stateOf = (
  { lateAbove, lag, isLoading }: SourceView,
  age: number | null,
  report: CombinedReport,
): SourceStatus["state"] => {
  if (report.reportedAt === null) return "unknown"
  if ((report.now[followers] ?? 0) === 0) return "stopped"
  if (isLoading === true) return "loading"
  if (lateAbove.ageSeconds !== undefined && age !== null && age > lateAbove.ageSeconds) return "late"
  return lateAbove.lag !== undefined && lag !== undefined && lag > lateAbove.lag ? "late" : "ok"
}

/** A source whose newest data are too old, and why no newer ones come. */
export interface IdleSource {
  readonly source: string
  readonly reason: string
  readonly isFollowed: boolean
}

/** A source that is late but still reads is catching up. */
const idleOf = (view: SourceView, status: SourceStatus): ReadonlyArray<IdleSource> => {
  const { source, state, age_seconds: age } = status
  const isOld = view.lateAbove.ageSeconds !== undefined && age !== null && age > view.lateAbove.ageSeconds
  if (!isOld || (view.details["missing_settings"] ?? null) !== null) return []
  if (state === "stopped") return [{ source, isFollowed: false, reason: `no process follows ${source}` }]
  if (status.rows_per_second > 0) return []
  return [{ source, isFollowed: true, reason: `the newest data of ${source} are ${Math.round(age)} s old` }]
}

interface Moments {
  /** By Postgres, whose clock all processes share. */
  readonly stores: number
  /** By this process. During a replay it shows the time of the recording, which is that of the data. */
  readonly data: number
}

const statusOf = (view: SourceView, report: CombinedReport, now: Moments): SourceStatus => {
  const since = (moment: number | null, until: number) =>
    moment === null ? null : oneDecimal(Math.max(0, until - moment) / 1000)
  const age = since(view.newestAt, view.isOfStores === true ? now.stores : now.data)
  return {
    source: view.source,
    state: stateOf(view, age, report),
    age_seconds: age,
    lag: view.lag ?? null,
    rows_per_second: oneDecimal(report.rates["rows"] ?? 0),
    gaps: view.gaps ?? null,
    reconnects: report.counts["reconnects"] ?? 0,
    undecodable: report.counts["undecodable"] ?? 0,
    last_undecodable: report.unread,
    reported_seconds_ago: since(report.reportedAt, now.stores),
    counted_since: report.since,
    details: view.details,
  }
}

/** The state of all sources, read from the stores: any process can report it, whichever follows them. */
export class Status extends Context.Service<
  Status,
  {
    readonly sources: Effect.Effect<SourcesReport, SqlError | RedisFailure>
    readonly overview: Effect.Effect<Overview, SqlError | RedisFailure>
    /** The sources that stand still. */
    readonly idle: Effect.Effect<ReadonlyArray<IdleSource>, SqlError | RedisFailure>
  }
>()("presage/status/Status") {
  static readonly layer = Layer.effect(
    Status,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const config = yield* Configuration
      const chain = yield* chainView
      const mempool = yield* mempoolView
      const ticks = yield* tickViews
      const books = yield* booksView
      const catalogue = yield* catalogueView
      const eventLog = yield* eventLogView
      const balances = yield* balancesView
      const totals = yield* readTotals
      const clock = Effect.map(reads<{ now: Date }>`select now() as now`, ([row]) => row?.now.getTime() ?? 0)

      const readSources = Effect.gen(function* () {
        const data = yield* Clock.currentTimeMillis
        const [now, reports, balancesAt, covered] = yield* Effect.all(
          [clock, StatusStore.read(reads), balances, CoverageStore.read(reads)],
          { concurrency: "unbounded" },
        )
        const timeout = Duration.max(reportTimeout, Duration.times(config.get(statusEvery), 3))
        const reportOf = (source: string) =>
          combineReports(
            reports.filter((report) => report.source === source),
            { from: now - Duration.toMillis(timeout), to: now + Duration.toMillis(timeout) },
          )
        const views = yield* Effect.all(
          [
            chain(reportOf("chain")),
            mempool(reportOf("mempool")),
            ticks,
            books(reportOf("books")),
            catalogue(reportOf("catalogue")),
            Effect.succeed(sportsView(reportOf("sports"))),
            eventLog,
          ],
          { concurrency: "unbounded" },
        )
        const circuits = Object.entries(reportOf("upstreams").now)
        const shown = views
          .flat()
          .map((view) => ({ view, status: statusOf(view, reportOf(view.source), { stores: now, data }) }))
        const report: SourcesReport = {
          sources: shown.map(({ status }) => status),
          circuits_open: circuits.flatMap(([upstream, open]) => (open > 0 ? [upstream] : [])),
          coverage: { facts: shownCoverage(covered?.facts), positions: shownCoverage(covered?.positions) },
          balances: balancesAt(now),
        }
        const idle = shown.flatMap(({ view, status }) => idleOf(view, status))
        return { report, idle, gateways: reportOf("gateway").now }
      })

      const current = yield* cachedBriefly(readSources, "1 second")
      const overview = yield* cachedBriefly(
        Effect.map(Effect.all([current, totals], { concurrency: "unbounded" }), ([{ report, gateways }, counted]) => ({
          ...overviewOf(report, counted, gateways),
          ...report,
        })),
        "1 second",
      )
      return Status.of({
        sources: Effect.withSpan(
          Effect.map(current, ({ report }) => report),
          "Status.sources",
        ),
        overview: Effect.withSpan(overview, "Status.overview"),
        idle: Effect.withSpan(
          Effect.map(current, ({ idle }) => idle),
          "Status.idle",
        ),
      })
    }),
  )
}
