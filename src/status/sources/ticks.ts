import { Clock, Effect, Option } from "effect"
import { coins, sourceNumber, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import {
  datastreamsId,
  datastreamsSecret,
  polyboltKey,
  polyboltPassphrase,
  polyboltSecret,
  upstream,
} from "#src/upstream/settings.ts"
import type { SourceView } from "../model.ts"

/** Every feed has one price per second. */
const lateAbove = { ageSeconds: 15 }

/** Newer seconds do not count as missing, because they may still arrive. */
const grace = 10

interface Gaps {
  readonly source: number
  readonly count: number
  readonly seconds: bigint
}

const gapsOf = (source: TickSource, rows: ReadonlyArray<Gaps>) => {
  const row = rows.find((each) => each.source === sourceNumber(source))
  return { count: row?.count ?? 0, seconds: Number(row?.seconds ?? 0n) }
}

const given = (value: string | Option.Option<unknown>) =>
  typeof value === "string" ? value !== "" : Option.isSome(value)

/** The settings that a source of the real venue lacks; null if it lacks none. */
const missingSettings = (config: Configuration["Service"]): Readonly<Record<TickSource, string | null>> => {
  const lacking = (needed: ReadonlyArray<Setting<string> | Setting<Option.Option<unknown>>>) => {
    if (config.get(upstream) === "simulator") return null
    const names = needed.flatMap((setting) =>
      given(config.get<string | Option.Option<unknown>>(setting)) ? [] : [setting.name],
    )
    return names.join(", ") || null
  }
  // Without them the older socket is followed, which the platform has announced to end.
  const ofPlatform = lacking([polyboltKey, polyboltSecret, polyboltPassphrase])
  return {
    oracle_data_streams: lacking([datastreamsId, datastreamsSecret]),
    platform_oracle: ofPlatform,
    platform_twap60: ofPlatform,
  }
}

/** Oracle prices by source. */
export const tickViews = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const lackingOf = missingSettings(yield* Configuration)

  const newest = reads<{ source: number; feed: number; at: bigint | null }>`
    select s.number as source, f.number as feed, (
      select t.at from tick t where t.feed = f.number::int2 and t.source = s.number::int2 order by t.at desc limit 1
    ) as at
    from generate_series(0, ${tickSources.length - 1}) s (number), generate_series(0, ${coins.length - 1}) f (number)`
  const lostRanges = reads<Gaps>`
    select source, count(*)::int as count, (sum(to_at - from_at) / 1000)::bigint as seconds
    from tick_gap group by source`
  const openRanges = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => reads<Gaps>`
    select source, count(*)::int as count, sum(upper(hole) - lower(hole))::bigint as seconds
    from tick_coverage
    cross join unnest(
      int8multirange(int8range(lower(seconds), greatest(lower(seconds), ${BigInt(Math.floor(now / 1000) - grace)}::bigint)))
        - seconds
    ) as hole
    where not isempty(seconds) group by source`,
  )

  return Effect.map(
    Effect.all([newest, lostRanges, openRanges], { concurrency: "unbounded" }),
    ([feeds, lostGaps, openGaps]): ReadonlyArray<SourceView> =>
      tickSources.map((source) => {
        const own = feeds
          .filter((row) => row.source === sourceNumber(source))
          .flatMap(({ feed, at }) => (at === null ? [] : [{ feed, at: Number(at) }]))
          .toSorted((a, b) => a.at - b.at)
        const [missing, lost] = [gapsOf(source, openGaps), gapsOf(source, lostGaps)]
        return {
          source,
          newestAt: own[0]?.at ?? null,
          gaps: { open: missing.count, lost: lost.count },
          lateAbove,
          details: {
            missing_settings: lackingOf[source],
            feeds: own.length,
            oldest_feed: coins[own[0]?.feed ?? -1] ?? null,
            seconds_missing: missing.seconds,
            seconds_lost: lost.seconds,
          },
        }
      }),
  )
})
