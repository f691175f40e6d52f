import { Context, Duration, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { combine, type Told } from "./combine.ts"
import { followers } from "./figures.ts"
import type { SourceStatus, SourcesReport, SourceView } from "./model.ts"
import { type Overview, overviewOf, readTotals } from "./overview.ts"
import { statusStore } from "./StatusStore.ts"
import { statusEvery } from "./settings.ts"
import { booksView } from "./sources/books.ts"
import { catalogueView, sportsView } from "./sources/catalogue.ts"
import { chainView } from "./sources/chain.ts"
import { eventLogView } from "./sources/eventLog.ts"
import { mempoolView } from "./sources/mempool.ts"
import { tickViews } from "./sources/ticks.ts"

/** Whoever has said nothing for this long, or for three rounds, has gone. */
const goneAfter = Duration.seconds(15)

const oneDecimal = (value: number) => Math.round(value * 10) / 10

const stateOf = ({ usual, lag }: SourceView, age: number | null, told: Told): SourceStatus["state"] => {
  if (told.reportedAt === null) return "unknown"
  if ((told.now[followers] ?? 0) === 0) return "stopped"
  if (usual.ageSeconds !== undefined && age !== null && age > usual.ageSeconds) return "late"
  return usual.lag !== undefined && lag !== undefined && lag > usual.lag ? "late" : "ok"
}

const statusOf = (view: SourceView, told: Told, now: number): SourceStatus => {
  const since = (moment: number | null) => (moment === null ? null : oneDecimal(Math.max(0, now - moment) / 1000))
  const age = since(view.newestAt)
  return {
    source: view.source,
    state: stateOf(view, age, told),
    age_seconds: age,
    lag: view.lag ?? null,
    rows_per_second: oneDecimal(told.rates["rows"] ?? 0),
    gaps: view.gaps ?? null,
    reconnects: told.counts["reconnects"] ?? 0,
    undecodable: told.counts["undecodable"] ?? 0,
    last_undecodable: told.unread,
    reported_seconds_ago: since(told.reportedAt),
    counted_since: told.since,
    details: view.details,
  }
}

/** How everything stands, read from the stores: so any process can tell, whoever follows what. */
export class Status extends Context.Service<
  Status,
  {
    readonly sources: Effect.Effect<SourcesReport, SqlError | RedisFailure>
    readonly overview: Effect.Effect<Overview, SqlError | RedisFailure>
  }
>()("presage/status/Status") {
  static readonly layer = Layer.effect(
    Status,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const config = yield* Configuration
      const store = yield* statusStore
      const chain = yield* chainView
      const mempool = yield* mempoolView
      const ticks = yield* tickViews
      const books = yield* booksView
      const catalogue = yield* catalogueView
      const eventLog = yield* eventLogView
      const totals = yield* readTotals
      const clock = Effect.map(reads<{ now: Date }>`select now() as now`, ([row]) => row?.now.getTime() ?? 0)

      const look = Effect.gen(function* () {
        const [now, accounts] = yield* Effect.all([clock, store.read], { concurrency: "unbounded" })
        const patience = Duration.max(goneAfter, Duration.times(config.get(statusEvery), 3))
        const told = (source: string) =>
          combine(
            accounts.filter((account) => account.source === source),
            now - Duration.toMillis(patience),
          )
        const views = yield* Effect.all(
          [
            chain(told("chain")),
            mempool(told("mempool")),
            ticks,
            books(told("books")),
            catalogue(told("catalogue")),
            Effect.succeed(sportsView(told("sports"))),
            eventLog,
          ],
          { concurrency: "unbounded" },
        )
        const circuits = Object.entries(told("upstreams").now)
        const report: SourcesReport = {
          sources: views.flat().map((view) => statusOf(view, told(view.source), now)),
          circuits_open: circuits.flatMap(([upstream, open]) => (open > 0 ? [upstream] : [])),
        }
        return { report, gateways: told("gateway").now }
      })

      // Whoever asks often gets the same answer for a second; a failure is not kept.
      const brief = <A, E>(work: Effect.Effect<A, E>) =>
        Effect.cachedWithTTL(work, (exit) => (Exit.isSuccess(exit) ? "1 second" : 0))
      const seen = yield* brief(look)
      const overview = yield* brief(
        Effect.map(Effect.all([seen, totals], { concurrency: "unbounded" }), ([{ report, gateways }, counted]) => ({
          ...overviewOf(report, counted, gateways),
          ...report,
        })),
      )
      return Status.of({ sources: Effect.map(seen, ({ report }) => report), overview })
    }),
  )
}
