import type { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer } from "effect"
import { isSqlError, type SqlError } from "effect/unstable/sql/SqlError"
import type { FinePrice } from "#src/domain/amounts.ts"
import {
  type Coin,
  coins,
  feedNumber,
  secondOf,
  sourceNumber,
  type Tick,
  type TickRange,
  type TickSource,
} from "#src/domain/Tick.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { type BulkTable, bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { encodedLength } from "./segments/encodeTicks.ts"
import { segmentIndex } from "./segments/segmentTimes.ts"
import { tickPartitions } from "./tickPartitions.ts"

export interface ReceivedTick extends Tick {
  readonly receivedAt: number
}

/** Ticks to store, and ranges for which the source has no further ticks: their empty seconds are gaps. */
export interface Recording {
  readonly ticks: ReadonlyArray<ReceivedTick>
  readonly settled: ReadonlyArray<TickRange>
  /** Set when none of the ticks is expected to be stored yet: inserting them takes half the time. */
  readonly areNew?: boolean
}

export interface Recorded {
  /** Ticks that were not stored before. */
  readonly stored: number
  readonly gaps: ReadonlyArray<TickRange>
}

interface TickRow {
  readonly feed: number
  readonly source: number
  readonly at: bigint
  readonly received_at: bigint
  readonly price: FinePrice
  readonly bid: FinePrice
  readonly ask: FinePrice
}

type StoredTick = Omit<TickRow, "source" | "received_at">

const tickTable: BulkTable<TickRow> = {
  table: "tick",
  columns: {
    feed: "int2",
    source: "int2",
    at: "int8",
    received_at: "int8",
    price: "int8",
    bid: "int8",
    ask: "int8",
  },
}
const insertTicks = bulkInsert(tickTable)
const insertMissingTicks = bulkInsert({
  ...tickTable,
  suffix: "on conflict do nothing returning feed, at, price, bid, ask",
})

const isDuplicate = (error: unknown) => isSqlError(error) && error.reason._tag === "UniqueViolation"

interface RangeRow {
  readonly feed: number
  readonly from: bigint
  readonly to: bigint
}

const coinOf = (feed: number) => coins[feed] as Coin
const toRange = ({ feed, from, to }: RangeRow): TickRange => ({
  coin: coinOf(feed),
  from: Number(from),
  to: Number(to),
})

const arraysOf = (ranges: ReadonlyArray<TickRange>) => [
  pgArray("int2", ranges, ({ coin }) => feedNumber(coin)),
  pgArray("int8", ranges, ({ from }) => BigInt(from)),
  pgArray("int8", ranges, ({ to }) => BigInt(to)),
]

const perFeedSql = `select feed, range_agg(int8range(lo, hi)) as seconds
  from unnest($1::int2[], $2::int8[], $3::int8[]) as input (feed, lo, hi) group by feed`

/** Ordered by feed, so that two writers of a source cannot deadlock. */
const coverSql = `insert into tick_coverage as existing (feed, source, seconds)
  select feed, $4::int2, seconds from (${perFeedSql}) as input order by feed
  on conflict (feed, source) do update set seconds = existing.seconds + excluded.seconds`

const recordGapsSql = `insert into tick_gap (feed, source, from_at, to_at, found_at)
  select input.feed, $4::int2, lower(gap) * 1000, upper(gap) * 1000, $5::int8
  from (${perFeedSql}) as input join tick_coverage as existing on existing.feed = input.feed and existing.source = $4::int2
  cross join unnest(input.seconds - existing.seconds) as gap
  on conflict do nothing returning feed, from_at / 1000 as "from", to_at / 1000 as "to"`

/** Ordered by key, so that two writers of a source cannot deadlock. */
const bumpSql = `insert into tick_revision as existing (feed, source, stretch, rows, bytes)
  select feed, $1::int2, stretch, rows, bytes
  from unnest($2::int2[], $3::int4[], $4::int4[], $5::int4[]) as changed (feed, stretch, rows, bytes) order by feed, stretch
  on conflict (feed, source, stretch) do update set revision = existing.revision + 1,
    rows = existing.rows + excluded.rows, bytes = existing.bytes + excluded.bytes`

/**
 * Increments the revision of every segment that contains these ticks, and adds up their number and encoded bytes, in the
 * transaction that stores them.
 *
 * This keeps cached segments consistent: a tick and the new revision of its segment become visible together, so two
 * reads with the same revision see the same ticks, however late a tick is, in whatever order transactions commit and
 * whichever process reads.
 */
const bumpRevisions = (sql: PgClient.PgClient, source: TickSource, stored: ReadonlyArray<StoredTick>) =>
  Effect.suspend((): Effect.Effect<void, SqlError> => {
    const changed = new Map<string, { feed: number; index: number; rows: number; bytes: number }>()
    for (const { feed, at, price, bid, ask } of stored) {
      const index = segmentIndex(Number(at))
      const key = `${feed} ${index}`
      const segment = changed.get(key) ?? { feed, index, rows: 0, bytes: 0 }
      segment.rows += 1
      segment.bytes += encodedLength(source, { coin: coinOf(feed), at: Number(at), price, bid, ask })
      changed.set(key, segment)
    }
    if (changed.size === 0) return Effect.void
    const segments = [...changed.values()]
    return Effect.asVoid(
      sql.unsafe(bumpSql, [
        sourceNumber(source),
        pgArray("int2", segments, ({ feed }) => feed),
        pgArray("int4", segments, ({ index }) => index),
        pgArray("int4", segments, ({ rows }) => rows),
        pgArray("int4", segments, ({ bytes }) => bytes),
      ]),
    )
  })

/** Ranges of seconds that contain a tick; consecutive seconds form one range. */
export const coveredBy = (ticks: ReadonlyArray<Tick>): ReadonlyArray<TickRange> => {
  const lastRanges = new Map<string, { from: number; to: number }>()
  const ranges: Array<TickRange> = []
  for (const tick of ticks) {
    const second = secondOf(tick)
    const last = lastRanges.get(tick.coin)
    if (last !== undefined && second >= last.from && second <= last.to) last.to = Math.max(last.to, second + 1)
    else {
      const range = { coin: tick.coin, from: second, to: second + 1 }
      lastRanges.set(tick.coin, range)
      ranges.push(range)
    }
  }
  return ranges
}

export class TickStore extends Context.Service<
  TickStore,
  {
    /** Stores each tick once, and the gaps of settled ranges. Fenced by the lease of the source's follower. */
    readonly record: (
      lease: Lease,
      source: TickSource,
      recording: Recording,
    ) => Effect.Effect<Recorded, TxError | LeaseLost>
    /** Unknown ranges before `to`, newest first, starting at `from` or at the end of the known seconds if that is earlier. */
    readonly missing: (
      source: TickSource,
      from: number,
      to: number,
    ) => Effect.Effect<ReadonlyArray<TickRange>, SqlError>
    /** First known second of each coin that has any. */
    readonly coverageStarts: (source: TickSource) => Effect.Effect<ReadonlyMap<Coin, number>, SqlError>
    /** Ticks in order of time, `from` inclusive, `to` exclusive, in milliseconds. */
    readonly read: (
      source: TickSource,
      coin: Coin,
      from: number,
      to: number,
    ) => Effect.Effect<ReadonlyArray<ReceivedTick>, SqlError>
    readonly gaps: (source: TickSource, coin: Coin) => Effect.Effect<ReadonlyArray<TickRange>, SqlError>
  }
>()("presage/ticks/TickStore") {
  static readonly layer = Layer.effect(
    TickStore,
    Effect.gen(function* () {
      const { sql, reads, tx } = yield* Postgres
      const ensurePartitions = tickPartitions.creator({ sql, tx })

      const write = (from: TickSource, { ticks, settled, areNew = false }: Recording) =>
        Effect.gen(function* () {
          const source = sourceNumber(from)
          const rows = ticks.map(({ coin, at, receivedAt, price, bid, ask }) => ({
            feed: feedNumber(coin),
            source,
            at: BigInt(at),
            received_at: BigInt(Math.floor(receivedAt)),
            price,
            bid,
            ask,
          }))
          const stored: ReadonlyArray<StoredTick> = areNew
            ? yield* Effect.as(insertTicks(sql, rows), rows)
            : yield* insertMissingTicks<StoredTick>(sql, rows)
          yield* bumpRevisions(sql, from, stored)
          // Empty ranges create and lock the rows of coins without a tick.
          const present = [...coveredBy(ticks), ...settled.map(({ coin, from }) => ({ coin, from, to: from }))]
          if (present.length > 0) yield* sql.unsafe(coverSql, [...arraysOf(present), source])
          if (settled.length === 0) return { stored: stored.length, gaps: [] }
          const input = arraysOf(settled)
          const now = BigInt(Math.floor(yield* Clock.currentTimeMillis))
          const gaps = yield* sql.unsafe<RangeRow>(recordGapsSql, [...input, source, now])
          yield* sql.unsafe(coverSql, [...input, source])
          return { stored: stored.length, gaps: gaps.map(toRange) }
        })

      return TickStore.of({
        record: Effect.fnUntraced(function* (lease, source, recording) {
          yield* ensurePartitions(recording.ticks.map(({ at }) => at))
          const record = (as: Recording) => lease.tx(write(source, as))
          return yield* record(recording).pipe(
            Effect.catchIf(isDuplicate, () => record({ ...recording, areNew: false })),
          )
        }),
        missing: Effect.fn("TickStore.missing")((source, from, to) =>
          Effect.map(
            sql<RangeRow>`
              select feed.number as feed, lower(missing) as "from", upper(missing) as "to"
              from generate_series(0, ${coins.length - 1}) as feed (number)
              left join tick_coverage existing on existing.feed = feed.number and existing.source = ${sourceNumber(source)}
              cross join unnest(
                int8multirange(int8range(least(${BigInt(from)}, upper(existing.seconds), ${BigInt(to)}), ${BigInt(to)}))
                - coalesce(existing.seconds, '{}')
              ) as missing
              order by upper(missing) desc, feed.number`,
            (rows) => rows.map(toRange),
          ),
        ),
        coverageStarts: Effect.fn("TickStore.coverageStarts")((source) =>
          Effect.map(
            reads<{ feed: number; first: bigint }>`
              select feed, lower(seconds) as first from tick_coverage
              where source = ${sourceNumber(source)} and not isempty(seconds)`,
            (rows) => new Map(rows.map(({ feed, first }) => [coinOf(feed), Number(first)])),
          ),
        ),
        read: Effect.fn("TickStore.read")((source, coin, from, to) =>
          Effect.map(
            reads<TickRow>`
              select feed, source, at, received_at, price, bid, ask from tick
              where feed = ${feedNumber(coin)} and source = ${sourceNumber(source)}
                and at >= ${BigInt(from)} and at < ${BigInt(to)}
              order by at`,
            (rows) =>
              rows.map(({ at, received_at, price, bid, ask }) => ({
                coin,
                at: Number(at),
                receivedAt: Number(received_at),
                price,
                bid,
                ask,
              })),
          ),
        ),
        gaps: Effect.fn("TickStore.gaps")((source, coin) =>
          Effect.map(
            reads<RangeRow>`
              select feed, from_at / 1000 as "from", to_at / 1000 as "to" from tick_gap
              where feed = ${feedNumber(coin)} and source = ${sourceNumber(source)} order by from_at`,
            (rows) => rows.map(toRange),
          ),
        ),
      })
    }),
  )
}
