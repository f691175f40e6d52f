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
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { partitionName } from "../tickPartitions.ts"
import { Segment } from "./Segment.ts"
import { dayOfSegment, segmentMillis, segmentStart } from "./segmentTimes.ts"

/** Ticks of a coin from these sources. */
export interface Feed {
  readonly coin: Coin
  readonly sources: ReadonlyArray<TickSource>
}

/** State that a request reads before it uses cached segments. */
export interface FeedState {
  /** Milliseconds of the newest known second. */
  readonly newest: number | undefined
  /** Revision of each segment. */
  readonly revisions: ReadonlyMap<number, number>
  /** Table oid of each day that has one. */
  readonly tables: ReadonlyMap<number, number>
}

const sourceNumbers = ({ sources }: Feed) => pgArray("int2", sources.map(sourceNumber))

interface StateRow {
  readonly what: "newest" | "revision" | "table"
  readonly key: bigint
  readonly value: bigint
}

export const readState = (sql: PgClient.PgClient, feed: Feed, first: number, last: number) => {
  const days = [...new Set([first, last].map(dayOfSegment))]
  const filter = sql`feed = ${feedNumber(feed.coin)} and source = any(${sourceNumbers(feed)})`
  return Effect.map(
    sql<StateRow>`
      select 'newest' as what, 0::int8 as key, max(upper(seconds)) - 1 as value from tick_coverage
      where ${filter} having max(upper(seconds)) is not null
      union all
      select 'revision', stretch::int8, sum(revision)::int8 from tick_revision
      where ${filter} and stretch >= ${first} and stretch <= ${last} group by stretch
      union all
      select 'table', day::int8, to_regclass(name)::oid::int8
      from ${unnest(sql, "requested", days, { day: ["int4", (day) => day], name: ["text", partitionName] })}
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

/** SQL expression that maps the source number to a text. */
const bySource = (textOf: (source: TickSource) => string) =>
  `case source ${tickSources.map((source, number) => `when ${number} then '${textOf(source)}'`).join(" ")} end`

const decimal = (column: string) => `trim_scale(${column}::numeric * 0.00000001)`

/**
 * SQL expression of a row in response encoding, with a comma before it. Postgres encodes rows because its decimals are
 * exact, and because encoding a day of rows here would block the event loop.
 */
const rowText = (coin: Coin): string => {
  const feed = feedName(coin)
  const idEnd = (source: TickSource) => tickId(source, { coin, at: 0 }).slice(1)
  return `concat(',{"id":"', at, ${bySource(idEnd)}, '","type":"price_feed","feed":"${feed}","timestamp":', at / 1000,
    ',"timestamp_ms":', at, ',"source":"', ${bySource((source) => source)}, '","data":{"feed":"${feed}","price":',
    ${decimal("price")}, ',"bid":', ${decimal("bid")}, ',"ask":', ${decimal("ask")}, ',"timestamp":', at / 1000, '}}')`
}

const encodedRows = (coin: Coin) =>
  `count(*) as rows, convert_to(string_agg(${rowText(coin)}, '' order by at, source), 'UTF8') as bytes`

interface EncodedRow {
  readonly rows: bigint | null
  readonly bytes: Uint8Array | null
}

// Copied, because the driver returns a view of a larger buffer that would stay in memory with it.
const copyOf = (bytes: Uint8Array | null) => (bytes === null ? Buffer.alloc(0) : Buffer.from(bytes))

/** Encodes consecutive segments of a day, each with its revision from the same snapshot: one statement reads both. */
export const loadSegments = (
  sql: PgClient.PgClient,
  feed: Feed,
  indexes: ReadonlyArray<number>,
  table: number,
): Effect.Effect<ReadonlyMap<number, Segment>, Effect.Error<ReturnType<typeof readState>>> => {
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)]
  const filter = sql`feed = ${feedNumber(feed.coin)} and source = any(${sourceNumbers(feed)})`
  return Effect.map(
    sql<EncodedRow & { readonly stretch: number; readonly revision: bigint | null }>`
      select stretch, changed.revision, encoded.rows, encoded.bytes
      from generate_series(${first}::int4, ${last}::int4) as requested (stretch)
      left join (
        select stretch, sum(revision)::int8 as revision from tick_revision
        where ${filter} and stretch >= ${first} and stretch <= ${last} group by stretch
      ) as changed using (stretch)
      left join (
        select (at / ${sql.literal(String(segmentMillis))})::int4 as stretch, ${sql.literal(encodedRows(feed.coin))} from tick
        where ${filter} and at >= ${BigInt(segmentStart(first))} and at < ${BigInt(segmentStart(last + 1))} group by 1
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

/** Encodes the current rows, `from` inclusive, `to` exclusive, at most `limit`. */
export const readRows = (sql: PgClient.PgClient, feed: Feed, from: number, to: number, limit: number) =>
  Effect.map(
    sql<EncodedRow>`
      select ${sql.literal(encodedRows(feed.coin))} from (
        select at, source, price, bid, ask from tick
        where feed = ${feedNumber(feed.coin)} and source = any(${sourceNumbers(feed)})
          and at >= ${BigInt(from)} and at < ${BigInt(to)}
        order by at, source limit ${limit}
      ) as requested`,
    ([row]) => ({ rows: Number(row?.rows ?? 0), bytes: copyOf(row?.bytes ?? null) }),
  )
