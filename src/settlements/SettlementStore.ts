import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { type Sighting, seenEvent, statusCode, statusEvent } from "./model.ts"
import { insertOrders, insertSettlements, rowsFor } from "./SettlementRows.ts"

/** How far back in chain time the blocks of matches are looked for that come late. */
const latest = "1 hour"

const forgottenAtOnce = 5_000

/** Where the ledger stands. */
interface Standing {
  readonly block: number
  readonly head: number
  /** Of the block. */
  readonly at: Date
}

/** Everything that is written and read in Postgres about settlements, apart from what their blocks bring. */
export class SettlementStore extends Context.Service<
  SettlementStore,
  {
    /** Writes and tells of those matches that nobody has seen, neither in the mempool nor in a block; how many. */
    readonly write: (lease: Lease, sightings: ReadonlyArray<Sighting>) => Effect.Effect<number, TxError | LeaseLost>
    readonly pending: Effect.Effect<number, SqlError>
    /** Drops and tells of those that the ledger should have had by now; how many. */
    readonly drop: (lease: Lease, after: Duration.Duration) => Effect.Effect<number, TxError | LeaseLost>
    /** Deletes some of those that nothing has happened to since a moment; whether there may be more. */
    readonly forget: (lease: Lease, before: number) => Effect.Effect<boolean, TxError | LeaseLost>
  }
>()("presage/settlements/SettlementStore") {
  static readonly layer = Layer.effect(
    SettlementStore,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const dictionary = yield* Dictionary
      const log = yield* EventLog
      // Not a parameter, else the index of pending ones would not serve.
      const isPending = sql.literal(`status = ${statusCode.pending}`)

      /** Holds the ledger where it is until the end of the transaction; undefined when it has not begun. */
      const standing = Effect.gen(function* () {
        // A statement of its own: whoever had to wait for the lock sees the rest as it was before.
        yield* sql`select 1 from chain_cursor for share`
        // The block is fetched for the cursor: a join, planned before anybody has counted, would read all of them.
        const [row] = yield* sql<Standing | { at: null }>`
          select c.block, c.head, (select b.at from block b where b.number = c.block) as at from chain_cursor c`
        return row === undefined || row.at === null ? undefined : row
      })

      /** Those of the transactions that are in blocks already. */
      const lateOf = (
        { at }: Standing,
        txs: ReadonlyArray<{ readonly tx: string; readonly taker: number }>,
      ): Effect.Effect<ReadonlySet<string>, SqlError> =>
        Effect.map(
          sql<{ tx: string }>`
            select n.tx from unnest(${pgArray(
              "text",
              txs.map(({ tx }) => tx),
            )}, ${pgArray(
              "int4",
              txs.map(({ taker }) => taker),
            )}) n(tx, taker)
            where exists (
              select 1 from fill f
              where f.maker = n.taker and f.tx = decode(n.tx, 'hex') and f.at >= ${at}::timestamptz - ${latest}::interval)`,
          (rows) => new Set(rows.map(({ tx }) => tx)),
        )

      return SettlementStore.of({
        write: (lease, sightings) =>
          Effect.gen(function* () {
            const byTx = new Map(sightings.map((sighting) => [sighting.match.tx, sighting]))
            const rows = yield* rowsFor(dictionary, [...byTx.values()])
            return yield* lease.tx(
              Effect.gen(function* () {
                const ledger = yield* standing
                const txs = [...byTx].map(([tx, sighting]) => ({ tx, taker: rows.taker(sighting) }))
                const late = ledger === undefined ? new Set<string>() : yield* lateOf(ledger, txs)
                const fresh = [...byTx.values()].filter(({ match }) => !late.has(match.tx))
                const made = yield* insertSettlements<{ id: bigint; tx: string }>(
                  sql,
                  fresh.map((sighting) => rows.settlement(sighting, ledger?.block ?? 0)),
                )
                yield* insertOrders(
                  sql,
                  made.flatMap(({ id, tx }) => rows.orders(id, byTx.get(tx) as Sighting)),
                )
                yield* log.append(made.map(({ id }) => seenEvent(id)))
                return made.length
              }),
            )
          }),

        pending: Effect.map(
          reads<{ count: number }>`select count(*)::int as count from settlement where ${isPending}`,
          ([row]) => row?.count ?? 0,
        ),

        drop: (lease, after) =>
          lease.tx(
            Effect.gen(function* () {
              const ledger = yield* standing
              if (ledger === undefined) return 0
              const now = yield* Clock.currentTimeMillis
              if (ledger.block >= ledger.head) {
                yield* sql`update settlement set waits_since = ${ledger.at}::timestamptz
                  where ${isPending} and waits_since is null and seen_after < ${ledger.block}`
              }
              const dropped = yield* sql<{ id: bigint }>`
                update settlement set status = ${statusCode.dropped}, changed_at = ${new Date(now)}::timestamptz
                where ${isPending}
                  and waits_since + make_interval(secs => ${Duration.toSeconds(after)}) <= ${ledger.at}::timestamptz
                returning id`
              yield* log.append(dropped.map(({ id }) => statusEvent(id, "dropped", now, null)))
              return dropped.length
            }),
          ),

        forget: (lease, before) =>
          Effect.map(
            lease.tx(sql<{ id: bigint }>`
              with gone as (
                delete from settlement where id in (
                  select id from settlement
                  where detected_at < ${new Date(before)}::timestamptz and changed_at < ${new Date(before)}::timestamptz
                    and not (${isPending})
                  order by detected_at limit ${forgottenAtOnce})
                returning id),
              orders as (delete from settlement_order o using gone where o.settlement = gone.id)
              select id from gone`),
            (gone) => gone.length === forgottenAtOnce,
          ),
      })
    }),
  )
}
