import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import {
  type Coin,
  feedName,
  feedNumber,
  sourceNumber,
  type TickSource,
  tickId,
  tickSources,
} from "#src/domain/Tick.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { partitionName } from "../tickPartitions.ts"
import { Segment } from "./Segment.ts"
import { dayOfSegment, segmentStart, segmentMillis } from "./segmentTimes.ts"

/** The ticks of a coin, from these sources. */
export interface Feed {
  readonly coin: Coin
  readonly sources: ReadonlyArray<TickSource>
}

/** What a request has to know before it can use anything that is kept. */
export interface FeedState {
  /** Milliseconds; the newest second that is known of. */
  readonly newest: number | undefined
  /** How often each stretch changed. */
  readonly revisions: ReadonlyMap<number, number>
  /** The tables of the days; nothing for a day without one. */
  readonly tables: ReadonlyMap<number, number>
}

const numbersOf = ({ sources }: Feed) => pgArray("int2", sources.map(sourceNumber))

interface StateRow {
  readonly what: "newest" | "revision" | "table"
  readonly key: bigint
  readonly value: bigint
}

export const readState = (sql: PgClient.PgClient, feed: Feed, first: number, last: number) => {
  const days = [...new Set([first, last].map(dayOfSegment))]
  const of = sql`feed = ${feedNumber(feed.coin)} and source = any(${numbersOf(feed)})`
  return Effect.map(
    sql<StateRow>`
      select 'newest' as what, 0::int8 as key, max(upper(seconds)) - 1 as value from tick_coverage
      where ${of} having max(upper(seconds)) is not null
      union all
      select 'revision', stretch::int8, sum(revision)::int8 from tick_revision
      where ${of} and stretch >= ${first} and stretch <= ${last} group by stretch
      union all
      select 'table', day::int8, to_regclass(name)::oid::int8
      from unnest(${pgArray("int4", days)}, ${pgArray("text", days.map(partitionName))}) as wanted (day, name)
      where to_regclass(name) is not null`,
    (rows): FeedState => {
      let newest: number | undefined
      const found = { revision: new Map<number, number>(), table: new Map<number, number>() }
      for (const { what, key, value } of rows) {
        if (what === "newest") newest = Number(value) * 1000
        else found[what].set(Number(key), Number(value))
      }
      return { newest, revisions: found.revision, tables: found.table }
    },
  )
}

/** The end of an id, and the words for the source, by its number. */
const bySource = (words: (source: TickSource) => string) =>
  `case source ${tickSources.map((source, number) => `when ${number} then '${words(source)}'`).join(" ")} end`

const decimal = (column: string) => `trim_scale(${column}::numeric * 0.00000001)`

/**
 * A row as it is sent, with a comma before it. Postgres writes it, because that is exact, and because a day of rows made
 * here would keep everybody else waiting.
 */
const rowText = (coin: Coin): string => {
  const feed = feedName(coin)
  const idEnd = (source: TickSource) => tickId(source, { coin, at: 0 }).slice(1)
  return `concat(',{"id":"', at, ${bySource(idEnd)}, '","type":"price_feed","feed":"${feed}","timestamp":', at / 1000,
    ',"timestamp_ms":', at, ',"source":"', ${bySource((source) => source)}, '","data":{"feed":"${feed}","price":',
    ${decimal("price")}, ',"bid":', ${decimal("bid")}, ',"ask":', ${decimal("ask")}, ',"timestamp":', at / 1000, '}}')`
}

const joined = (coin: Coin) =>
  `count(*) as rows, convert_to(string_agg(${rowText(coin)}, '' order by at, source), 'UTF8') as bytes`

interface EncodedRow {
  readonly rows: bigint | null
  readonly bytes: Uint8Array | null
}

// What comes from the driver is a part of something larger that would be kept with it.
const copyOf = (bytes: Uint8Array | null) => (bytes === null ? Buffer.alloc(0) : Buffer.from(bytes))

/**
 * The segments of some stretches of a day without a gap between them, each with the revision that it had in the same moment:
 * one statement sees one state.
 */
export const loadSegments = (
  sql: PgClient.PgClient,
  feed: Feed,
  stretches: ReadonlyArray<number>,
  table: number,
): Effect.Effect<ReadonlyMap<number, Segment>, Effect.Error<ReturnType<typeof readState>>> => {
  const [first = 0, last = 0] = [stretches[0], stretches.at(-1)]
  const of = sql`feed = ${feedNumber(feed.coin)} and source = any(${numbersOf(feed)})`
  return Effect.map(
    sql<EncodedRow & { readonly stretch: number; readonly revision: bigint | null }>`
      select stretch, changed.revision, encoded.rows, encoded.bytes
      from generate_series(${first}::int4, ${last}::int4) as wanted (stretch)
      left join (
        select stretch, sum(revision)::int8 as revision from tick_revision
        where ${of} and stretch >= ${first} and stretch <= ${last} group by stretch
      ) as changed using (stretch)
      left join (
        select (at / ${sql.literal(String(segmentMillis))})::int4 as stretch, ${sql.literal(joined(feed.coin))} from tick
        where ${of} and at >= ${BigInt(segmentStart(first))} and at < ${BigInt(segmentStart(last + 1))} group by 1
      ) as encoded using (stretch)`,
    (rows) =>
      new Map(
        rows.map(({ stretch, revision, rows: count, bytes }) => [
          stretch,
          new Segment(copyOf(bytes), Number(count ?? 0), { table, revision: Number(revision ?? 0) }),
        ]),
      ),
  )
}

/** Rows from one moment to before another, at most so many, as they are now. */
export const readRows = (sql: PgClient.PgClient, feed: Feed, from: number, to: number, limit: number) =>
  Effect.map(
    sql<EncodedRow>`
      select ${sql.literal(joined(feed.coin))} from (
        select at, source, price, bid, ask from tick
        where feed = ${feedNumber(feed.coin)} and source = any(${numbersOf(feed)})
          and at >= ${BigInt(from)} and at < ${BigInt(to)}
        order by at, source limit ${limit}
      ) as wanted`,
    ([row]) => ({ rows: Number(row?.rows ?? 0), bytes: copyOf(row?.bytes ?? null) }),
  )
