import { Duration, Effect } from "effect"
import { sweepEvery } from "#src/catalogue/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Told } from "../combine.ts"
import type { SourceView } from "../model.ts"

/** A look at everything takes a while by itself. */
const longestSweepSeconds = 120

/** The catalogue, which is as old as the last look at all of it. */
export const catalogueView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const config = yield* Configuration
  return (told: Told) =>
    Effect.map(
      reads<{ open: number; events: bigint; markets: bigint }>`
        select (select count(*)::int from event where not closed and not archived) as open,
          pg_stat_get_live_tuples('event'::regclass) as events,
          pg_stat_get_live_tuples('market'::regclass) as markets`,
      ([row]): SourceView => ({
        source: "catalogue",
        newestAt: told.moments["sweep"] ?? told.moments["first load"] ?? null,
        usual: { ageSeconds: longestSweepSeconds + 2 * Duration.toSeconds(config.get(sweepEvery)) },
        details: {
          events: Number(row?.events ?? 0n),
          open_events: row?.open ?? 0,
          markets: Number(row?.markets ?? 0n),
          failures: told.counts["failures"] ?? 0,
        },
      }),
    )
})

/** Live scores; between games nothing comes, and that is right. */
export const sportsView = (told: Told): SourceView => ({
  source: "sports",
  newestAt: told.moments["heard"] ?? null,
  usual: {},
  details: { scores: told.counts["rows"] ?? 0 },
})
