import { Context, type Duration, Effect, Layer, Schedule, Stream } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres, Transaction } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { maintainPartitions } from "./eventLogPartitions.ts"

/** An event to append. `(ref, sub)` identifies the fact's own row, such as (block, log index); `data` holds what no row does. */
export interface NewEvent {
  readonly kind: string
  readonly ref?: bigint
  readonly sub?: number
  readonly data?: unknown
}

export interface LoggedEvent {
  readonly seq: bigint
  readonly recordedAt: number
  readonly kind: string
  readonly ref: bigint | null
  readonly sub: number | null
  readonly data: unknown
}

export interface ReadOptions {
  readonly after: bigint
  readonly limit: number
  readonly kinds?: ReadonlyArray<string>
  /** Only events about these. */
  readonly refs?: ReadonlyArray<bigint> | undefined
}

/** Serialises the end of every transaction that appends, so that `seq` follows commit order. */
const appendLock = 0x70726573

const channel = "presage_event_log"

const insert = bulkInsert<{ kind: string; ref: bigint | null; sub: number | null; data: unknown }>({
  table: "event_log",
  columns: { kind: "text", ref: "int8", sub: "int4", data: "jsonb" },
})

/** The ordered, append-only list of all events. A reader that has seen `seq` misses no event after it. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * Appends events inside the transaction that writes their facts. They are buffered and written just before COMMIT under
     * a lock, so a reader never sees a higher seq before a lower one.
     */
    readonly append: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void, never, Transaction>
    /** Distinguishes this log from the log of another database. */
    readonly identity: string
    readonly read: (options: ReadOptions) => Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError>
    /** Highest seq so far, 0 when empty. */
    readonly head: Effect.Effect<bigint, SqlError>
    /** The seq just before the newest `count` events, for readers that start with the recent past. */
    readonly before: (count: number) => Effect.Effect<bigint, SqlError>
    /** The event just before the newest `limit` ones of some kinds, if it is after `after`. */
    readonly beforeNewest: (options: ReadOptions) => Effect.Effect<LoggedEvent | undefined, SqlError>
    /** The newest seq that was recorded before a moment, 0 when there is none. */
    readonly recordedBefore: (millis: number) => Effect.Effect<bigint, SqlError>
    /** The oldest seq that is still kept, 0 when there is none. */
    readonly oldest: Effect.Effect<bigint, SqlError>
    /** Emits whenever events may have been appended, and at least once per `atLeast`. */
    readonly wakes: (atLeast: Duration.Input) => Stream.Stream<void>
    /** Creates the partitions of the next days and drops those older than `retention`; returns the dropped ones. */
    readonly maintain: (retention: Duration.Duration) => Effect.Effect<ReadonlyArray<string>, TxError>
  }
>()("presage/mesh/EventLog") {
  static readonly layer = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const { sql, reads, tx } = yield* Postgres
      const [self] = yield* sql<{ id: string }>`select id::text as id from event_log_identity`

      const flush = (buffer: ReadonlyArray<NewEvent>) =>
        Effect.gen(function* () {
          // A separate statement, because the insert's snapshot must be taken after the lock. Postgres sends the
          // notification at COMMIT; made here, it costs no round trip under the lock.
          yield* sql`select pg_notify(${channel}, ''), pg_advisory_xact_lock(${appendLock})`
          yield* insert(
            sql,
            buffer.map(({ kind, ref, sub, data }) => ({
              kind,
              ref: ref ?? null,
              sub: sub ?? null,
              data: data ?? null,
            })),
          )
        })

      // A lost connection ends the queue, so the stream subscribes again.
      const notifications = Stream.unwrap(Effect.map(sql.listen(channel), Stream.fromQueue)).pipe(
        Stream.map(() => undefined),
        Stream.retry(Schedule.spaced("1 second")),
        Stream.orDie,
      )

      const wanted = ({ kinds, refs }: ReadOptions) => reads`
        ${kinds === undefined ? reads.literal("") : reads`and kind = any(${kinds})`}
        ${refs === undefined ? reads.literal("") : reads`and ref = any(${pgArray("int8", refs)})`}`

      return EventLog.of({
        identity: self?.id ?? "",
        append: (events) => Effect.map(Transaction, ({ beforeCommit }) => beforeCommit(EventLog.key, events, flush)),

        read: (options) =>
          Effect.map(
            reads<EventRow>`
              select seq, recorded_at, kind, ref, sub, data from event_log
              where seq > ${options.after} ${wanted(options)}
              order by seq limit ${options.limit}`,
            (rows) => rows.map(decodeEvent),
          ),

        head: Effect.withSpan(
          Effect.map(reads<{ seq: bigint | null }>`select max(seq) as seq from event_log`, ([row]) => row?.seq ?? 0n),
          "EventLog.head",
        ),

        before: Effect.fn("EventLog.before")((count) =>
          Effect.map(
            reads<{ seq: bigint }>`select seq from event_log order by seq desc offset ${count} limit 1`,
            ([row]) => row?.seq ?? 0n,
          ),
        ),

        beforeNewest: Effect.fn("EventLog.beforeNewest")((options) =>
          Effect.map(
            reads<EventRow>`
              select seq, recorded_at, kind, ref, sub, data from event_log
              where seq > ${options.after} ${wanted(options)} order by seq desc offset ${options.limit} limit 1`,
            ([row]) => row && decodeEvent(row),
          ),
        ),

        recordedBefore: Effect.fn("EventLog.recordedBefore")((millis) =>
          Effect.map(
            reads<{ seq: bigint }>`
              select seq from event_log where recorded_at < ${new Date(millis)}::timestamptz order by seq desc limit 1`,
            ([row]) => row?.seq ?? 0n,
          ),
        ),

        oldest: Effect.withSpan(
          Effect.map(reads<{ seq: bigint | null }>`select min(seq) as seq from event_log`, ([row]) => row?.seq ?? 0n),
          "EventLog.oldest",
        ),

        wakes: (atLeast) =>
          Stream.merge(notifications, Stream.tick(atLeast)).pipe(Stream.buffer({ capacity: 1, strategy: "sliding" })),

        maintain: Effect.fn("EventLog.maintain")((retention) => maintainPartitions({ sql, tx }, retention)),
      })
    }),
  )
}

interface EventRow {
  readonly seq: bigint
  readonly recorded_at: Date
  readonly kind: string
  readonly ref: bigint | null
  readonly sub: number | null
  readonly data: unknown
}

const decodeEvent = ({ recorded_at, ...row }: EventRow): LoggedEvent => ({ ...row, recordedAt: recorded_at.getTime() })
