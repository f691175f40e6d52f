import { PgTypes, type PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { isSqlError, type SqlError } from "effect/unstable/sql/SqlError"
import { type Coin, coins, feedNumber, type TickRange, sourceNumber, type Tick, type TickSource, secondOf } from "#src/domain/Tick.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { type BulkTable, bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { tickPartitions } from "./tickPartitions.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { segmentIndex } from "./segments/segmentTimes.ts"

/** In the order of the key, which keeps two writers of a source from waiting for each other. */
const bump = `insert into tick_revision as had (feed, source, stretch)
  select feed, $1::int2, stretch from unnest($2::int2[], $3::int4[]) as changed (feed, stretch) order by feed, stretch
  on conflict (feed, source, stretch) do update set revision = had.revision + 1`

/**
 * Counts a change of every stretch that these ticks, just stored by the same transaction, lie in.
 *
 * That is all it takes for what is kept of a stretch to be never stale and never torn: a tick and the new revision of its
 * stretch are seen together or not at all, so two readings with the same revision have the same ticks. It does not matter
 * how late a tick is, in which order transactions commit, or which process reads.
 */
export const bumpRevisions = (
  sql: PgClient.PgClient,
  source: number,
  stored: ReadonlyArray<{ readonly feed: number; readonly at: bigint }>,
) =>
  Effect.suspend((): Effect.Effect<void, SqlError> => {
    const changed = new Map<string, readonly [number, number]>()
    for (const { feed, at } of stored) {
      const stretch = segmentIndex(Number(at))
      changed.set(`${feed} ${stretch}`, [feed, stretch])
    }
    if (changed.size === 0) return Effect.void
    const rows = [...changed.values()]
    return Effect.asVoid(
      sql.unsafe(bump, [
        source,
        pgArray("int2", rows, ([feed]) => feed),
        pgArray("int4", rows, ([, stretch]) => stretch),
      ]),
    )
  })

/** The seconds in which there is a tick; those that follow on each other, as they do where nothing is missing, are one stretch. */
export const coveredBy = (ticks: ReadonlyArray<Tick>): ReadonlyArray<TickRange> => {
  const open = new Map<string, { from: number; to: number }>()
  const stretches: Array<TickRange> = []
  for (const tick of ticks) {
    const second = secondOf(tick)
    const last = open.get(tick.coin)
    if (last !== undefined && second >= last.from && second <= last.to) last.to = Math.max(last.to, second + 1)
    else {
      const begun = { coin: tick.coin, from: second, to: second + 1 }
      open.set(tick.coin, begun)
      stretches.push(begun)
    }
  }
  return stretches
}

export interface ReceivedTick extends Tick {
  readonly receivedAt: number
}

/** Ticks to keep, and stretches about which the source has nothing else to say: what is missing in them never came. */
export interface Recording {
  readonly ticks: ReadonlyArray<ReceivedTick>
  readonly settled: ReadonlyArray<TickRange>
  /** Whether, as far as anybody knows, none of the ticks is there yet: then they take half the time. */
  readonly areNew?: boolean
}

export interface Recorded {
  /** Ticks that were not there yet. */
  readonly stored: number
  readonly gaps: ReadonlyArray<TickRange>
}

interface TickRow {
  readonly feed: number
  readonly source: number
  readonly at: bigint
  readonly received_at: bigint
  readonly price: bigint
  readonly bid: bigint
  readonly ask: bigint
}

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
const addTicks = bulkInsert(tickTable)
const addMissingTicks = bulkInsert({ ...tickTable, suffix: "on conflict do nothing returning feed, at" })

const isThere = (error: unknown) => isSqlError(error) && error.reason._tag === "UniqueViolation"

interface StretchRow {
  readonly feed: number
  readonly from: bigint
  readonly to: bigint
}

const coinOf = (feed: number) => coins[feed] as Coin
const stretchOf = ({ feed, from, to }: StretchRow): TickRange => ({
  coin: coinOf(feed),
  from: Number(from),
  to: Number(to),
})

const arraysOf = (stretches: ReadonlyArray<TickRange>) => [
  Result.getOrThrow(
    PgTypes.array(
      stretches.map(({ coin }) => feedNumber(coin)),
      PgTypes.OID.int2,
    ),
  ),
  ...(["from", "to"] as const).map((end) =>
    Result.getOrThrow(
      PgTypes.array(
        stretches.map((stretch) => BigInt(stretch[end])),
        PgTypes.OID.int8,
      ),
    ),
  ),
]

const perFeed = `select feed, range_agg(int8range(lo, hi)) as seconds
  from unnest($1::int2[], $2::int8[], $3::int8[]) as asked (feed, lo, hi) group by feed`

/** In the order of feeds, which keeps two writers of a source from waiting for each other. */
const cover = `insert into tick_coverage as had (feed, source, seconds)
  select feed, $4::int2, seconds from (${perFeed}) as asked order by feed
  on conflict (feed, source) do update set seconds = had.seconds + excluded.seconds`

const recordGaps = `insert into tick_gap (feed, source, from_at, to_at, found_at)
  select asked.feed, $4::int2, lower(hole) * 1000, upper(hole) * 1000, $5::int8
  from (${perFeed}) as asked join tick_coverage as had on had.feed = asked.feed and had.source = $4::int2
  cross join unnest(asked.seconds - had.seconds) as hole
  on conflict do nothing returning feed, from_at / 1000 as "from", to_at / 1000 as "to"`

export class TickStore extends Context.Service<
  TickStore,
  {
    /** Keeps ticks once, and gaps where a stretch is settled. Fenced by the lease of the one who follows the source. */
    readonly record: (
      lease: Lease,
      source: TickSource,
      recording: Recording,
    ) => Effect.Effect<Recorded, TxError | LeaseLost>
    /**
     * Stretches before `to` that nothing is known about, newest first. They begin with `from`, or where the source was
     * left if that is longer ago.
     */
    readonly missing: (source: TickSource, from: number, to: number) => Effect.Effect<ReadonlyArray<TickRange>, SqlError>
    /** Where what is known of each coin begins; nothing for those of which nothing is. */
    readonly beginnings: (source: TickSource) => Effect.Effect<ReadonlyMap<Coin, number>, SqlError>
    /** In order of time, from `from` on but before `to`, in milliseconds. */
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
      const makePartitions = tickPartitions({ sql, tx })

      const write = (source: number, { ticks, settled, areNew = false }: Recording) =>
        Effect.gen(function* () {
          const rows = ticks.map(({ coin, at, receivedAt, price, bid, ask }) => ({
            feed: feedNumber(coin),
            source,
            at: BigInt(at),
            received_at: BigInt(Math.floor(receivedAt)),
            price,
            bid,
            ask,
          }))
          const stored: ReadonlyArray<Pick<TickRow, "feed" | "at">> = areNew
            ? yield* Effect.as(addTicks(sql, rows), rows)
            : yield* addMissingTicks<Pick<TickRow, "feed" | "at">>(sql, rows)
          yield* bumpRevisions(sql, source, stored)
          // The empty stretches make and lock the rows of coins without a tick.
          const present = [...coveredBy(ticks), ...settled.map(({ coin, from }) => ({ coin, from, to: from }))]
          if (present.length > 0) yield* sql.unsafe(cover, [...arraysOf(present), source])
          if (settled.length === 0) return { stored: stored.length, gaps: [] }
          const asked = arraysOf(settled)
          const now = BigInt(Math.floor(yield* Clock.currentTimeMillis))
          const gaps = yield* sql.unsafe<StretchRow>(recordGaps, [...asked, source, now])
          yield* sql.unsafe(cover, [...asked, source])
          return { stored: stored.length, gaps: gaps.map(stretchOf) }
        })

      return TickStore.of({
        record: Effect.fnUntraced(function* (lease, source, recording) {
          yield* makePartitions(recording.ticks.map(({ at }) => at))
          const record = (as: Recording) => lease.tx(write(sourceNumber(source), as))
          return yield* record(recording).pipe(Effect.catchIf(isThere, () => record({ ...recording, areNew: false })))
        }),
        missing: (source, from, to) =>
          Effect.map(
            sql<StretchRow>`
              select feed.number as feed, lower(stretch) as "from", upper(stretch) as "to"
              from generate_series(0, ${coins.length - 1}) as feed (number)
              left join tick_coverage had on had.feed = feed.number and had.source = ${sourceNumber(source)}
              cross join unnest(
                int8multirange(int8range(least(${BigInt(from)}, upper(had.seconds), ${BigInt(to)}), ${BigInt(to)}))
                - coalesce(had.seconds, '{}')
              ) as stretch
              order by upper(stretch) desc, feed.number`,
            (rows) => rows.map(stretchOf),
          ),
        beginnings: (source) =>
          Effect.map(
            reads<{ feed: number; first: bigint }>`
              select feed, lower(seconds) as first from tick_coverage
              where source = ${sourceNumber(source)} and not isempty(seconds)`,
            (rows) => new Map(rows.map(({ feed, first }) => [coinOf(feed), Number(first)])),
          ),
        read: (source, coin, from, to) =>
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
        gaps: (source, coin) =>
          Effect.map(
            reads<StretchRow>`
              select feed, from_at / 1000 as "from", to_at / 1000 as "to" from tick_gap
              where feed = ${feedNumber(coin)} and source = ${sourceNumber(source)} order by from_at`,
            (rows) => rows.map(stretchOf),
          ),
      })
    }),
  )
}
