import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { type Coin, feedNumber, sourceNumber, type TickSource } from "#src/domain/Tick.ts"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { tickPartitions } from "../tickPartitions.ts"
import { encodeTicks, type TickColumns } from "./encodeTicks.ts"
import { Segment } from "./Segment.ts"
import { dayOfSegment, segmentMillis, segmentSecond, segmentSeconds, segmentStart } from "./segmentTimes.ts"

/** Ticks of a coin from these sources. */
export interface Feed {
  readonly coin: Coin
  readonly sources: ReadonlyArray<TickSource>
}

/** Number of ticks, and their bytes in response encoding. */
export interface SegmentSize {
  readonly rows: number
  readonly bytes: number
}

/** State that a request reads before it uses cached segments. */
export interface FeedState {
  /** Milliseconds of the newest known second. */
  readonly newest: number | undefined
  /** Revision of each segment. */
  readonly revisions: ReadonlyMap<number, number>
  /** Size of each segment that is not expected to change any more. */
  readonly sizes: ReadonlyMap<number, SegmentSize>
  /** Table oid of each day that has one. */
  readonly tables: ReadonlyMap<number, number>
}

const sourceNumbers = ({ sources }: Feed) => pgArray("int2", sources.map(sourceNumber))

interface StateRow {
  readonly what: "newest" | "revision" | "table"
  readonly key: bigint
  readonly value: bigint
  readonly rows: bigint | null
  readonly bytes: bigint | null
}

/** Of the sources, only this one has a history from which missing ticks are loaded later. */
const refilled: TickSource = "oracle_data_streams"

export const readState = (sql: PgClient.PgClient, feed: Feed, first: number, last: number) => {
  const days = [...new Set([first, last].map(dayOfSegment))]
  const filter = sql`feed = ${feedNumber(feed.coin)} and source = any(${sourceNumbers(feed)})`
  const requested = sql`int8range(${BigInt(segmentSecond(first))}, ${BigInt(segmentSecond(last + 1))})`
  const isSettled = feed.sources.includes(refilled)
    ? sql`(select seconds from covered) @> int8range(stretch * ${segmentSeconds}::int8, (stretch + 1) * ${segmentSeconds}::int8)`
    : sql`true`
  return Effect.map(
    sql<StateRow>`
      with covered as (
        select seconds * int8multirange(${requested}) as seconds from tick_coverage
        where feed = ${feedNumber(feed.coin)} and source = ${sourceNumber(refilled)})
      select 'newest' as what, 0::int8 as key, max(upper(seconds)) - 1 as value, null::int8 as rows, null::int8 as bytes
      from tick_coverage
      where ${filter} having max(upper(seconds)) is not null
      union all
      select 'revision', stretch::int8, sum(revision)::int8,
        case when count(rows) = count(*) and ${isSettled} then sum(rows)::int8 end, sum(bytes)::int8
      from tick_revision
      where ${filter} and stretch >= ${first} and stretch <= ${last} group by stretch
      union all
      select 'table', day::int8, to_regclass(name)::oid::int8, null, null
      from ${unnest(sql, "requested", days, { day: ["int4", (day) => day], name: ["text", tickPartitions.nameOf] })}
      where to_regclass(name) is not null`,
    (found): FeedState => {
      let newest: number | undefined
      const maps = { revision: new Map<number, number>(), table: new Map<number, number>() }
      const sizes = new Map<number, SegmentSize>()
      for (const { what, key, value, rows, bytes } of found) {
        if (what === "newest") newest = Number(value) * 1000
        else maps[what].set(Number(key), Number(value))
        if (rows !== null && bytes !== null) sizes.set(Number(key), { rows: Number(rows), bytes: Number(bytes) })
      }
      return { newest, revisions: maps.revision, sizes, tables: maps.table }
    },
  )
}

/** The columns of all rows, one array each: Postgres sends these faster than rows. */
const columnsOf = ({ sources }: Feed) => {
  const column = (name: string) => `array_send(array_agg(${name}::int8 order by at, source)) as ${name}`
  const source = sources.length === 1 ? "null::bytea as source" : column("source")
  return ["count(*) as rows", ...["at", "price", "bid", "ask"].map(column), source].join(", ")
}

const onlySource = ({ sources }: Feed) => (sources.length === 1 ? sources[0] : undefined)

/** Ticks encoded in one turn of the event loop: a millisecond of work. */
const turn = makeYieldBudget(1_200)

const encode = (feed: Feed, columns: TickColumns) =>
  Effect.promise(async () => {
    const rows = Number(columns.rows ?? 0)
    await turn(rows)
    return { rows, bytes: encodeTicks(feed.coin, onlySource(feed), columns) }
  })

/** Encodes consecutive segments of a day, each with its revision from the same snapshot: one statement reads both. */
export const loadSegments = (
  sql: PgClient.PgClient,
  feed: Feed,
  indexes: ReadonlyArray<number>,
  table: number,
): Effect.Effect<ReadonlyMap<number, Segment>, Effect.Error<ReturnType<typeof readState>>> => {
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)]
  const filter = sql`feed = ${feedNumber(feed.coin)} and source = any(${sourceNumbers(feed)})`
  const found = sql<TickColumns & { readonly stretch: number; readonly revision: bigint | null }>`
    select stretch, changed.revision, stored.rows, stored.at, stored.price, stored.bid, stored.ask, stored.source
    from generate_series(${first}::int4, ${last}::int4) as requested (stretch)
    left join (
      select stretch, sum(revision)::int8 as revision from tick_revision
      where ${filter} and stretch >= ${first} and stretch <= ${last} group by stretch
    ) as changed using (stretch)
    left join (
      select (at / ${sql.literal(String(segmentMillis))})::int4 as stretch, ${sql.literal(columnsOf(feed))} from tick
      where ${filter} and at >= ${BigInt(segmentStart(first))} and at < ${BigInt(segmentStart(last + 1))} group by 1
    ) as stored using (stretch)`
  return Effect.map(
    Effect.flatMap(found, (rows) =>
      Effect.forEach(rows, ({ stretch, revision, ...columns }) =>
        Effect.map(
          encode(feed, columns),
          ({ rows: count, bytes }) =>
            [stretch, new Segment(bytes, count, { table, revision: Number(revision ?? 0) })] as const,
        ),
      ),
    ),
    (segments) => new Map(segments),
  )
}

/** Encodes the current rows, `from` inclusive, `to` exclusive, at most `limit`. */
export const readRows = (sql: PgClient.PgClient, feed: Feed, from: number, to: number, limit: number) =>
  Effect.flatMap(
    sql<TickColumns>`
      select ${sql.literal(columnsOf(feed))} from (
        select at, source, price, bid, ask from tick
        where feed = ${feedNumber(feed.coin)} and source = any(${sourceNumbers(feed)})
          and at >= ${BigInt(from)} and at < ${BigInt(to)}
        order by at, source limit ${limit}
      ) as requested`,
    ([columns]) =>
      columns === undefined ? Effect.succeed({ rows: 0, bytes: Buffer.alloc(0) }) : encode(feed, columns),
  )
