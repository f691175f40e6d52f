import { Duration, Effect } from "effect"
import { unfinishedReads } from "#src/catalogue/ReferenceStore.ts"
import { sweepEvery } from "#src/catalogue/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { CombinedReport } from "../combineReports.ts"
import type { SourceView } from "../model.ts"

/** A sweep of the whole catalogue takes a while. */
const longestSweepSeconds = 120

/** The lists with a measurement of this kind; null without any. */
const listed = ({ now }: CombinedReport, prefix: string, show: (name: string, value: number) => string) =>
  Object.entries(now)
    .flatMap(([name, value]) => (name.startsWith(prefix) && value > 0 ? [show(name.slice(prefix.length), value)] : []))
    .toSorted()
    .join(", ") || null

/** The catalogue; its age is the time since the last full sweep. */
export const catalogueView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const config = yield* Configuration
  return (report: CombinedReport) =>
    Effect.zipWith(
      reads<{ open: number; events: bigint; markets: bigint }>`
        select (select count(*)::int from event where not closed and not archived) as open,
          pg_stat_get_live_tuples('event'::regclass) as events,
          pg_stat_get_live_tuples('market'::regclass) as markets`,
      unfinishedReads(reads),
      ([row], unfinished): SourceView => ({
        source: "catalogue",
        isLoading: unfinished.length > 0,
        newestAt: report.moments["sweep"] ?? report.moments["first load"] ?? null,
        lateAbove: { ageSeconds: longestSweepSeconds + 2 * Duration.toSeconds(config.get(sweepEvery)) },
        details: {
          events: Number(row?.events ?? 0n),
          open_events: row?.open ?? 0,
          markets: Number(row?.markets ?? 0n),
          failures: report.counts["failures"] ?? 0,
          failed_lists: listed(report, "failed ", (name) => name),
          incomplete_lists: listed(report, "end of ", (name, offset) => `${name} up to ${offset}`),
        },
      }),
      { concurrent: true },
    )
})

/** Live scores; never late, because there are none between games. */
export const sportsView = (report: CombinedReport): SourceView => ({
  source: "sports",
  newestAt: report.moments["heard"] ?? null,
  lateAbove: {},
  details: { scores: report.counts["rows"] ?? 0 },
})
