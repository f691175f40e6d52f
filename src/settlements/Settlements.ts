import { Clock, Context, type Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { type Sighting, seenEvent, statusEvent } from "./model.ts"
import * as SettlementStore from "./SettlementStore.ts"

const deletedAtOnce = 5_000

/** Settlements before their block. The ledger confirms them. */
export class Settlements extends Context.Service<
  Settlements,
  {
    /** Stores and publishes matches that were not seen before, neither in the mempool nor in a block. Returns their number. */
    readonly write: (lease: Lease, sightings: ReadonlyArray<Sighting>) => Effect.Effect<number, TxError | LeaseLost>
    readonly pending: Effect.Effect<number, SqlError>
    /** Drops settlements whose block is overdue and publishes that. Returns their number. */
    readonly drop: (lease: Lease, after: Duration.Duration) => Effect.Effect<number, TxError | LeaseLost>
    /** Deletes some settlements that have not changed since `before`. Returns whether there may be more. */
    readonly deleteOld: (lease: Lease, before: number) => Effect.Effect<boolean, TxError | LeaseLost>
  }
>()("presage/settlements/Settlements") {
  static readonly layer = Layer.effect(
    Settlements,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const dictionary = yield* Dictionary
      const log = yield* EventLog

      return Settlements.of({
        write: Effect.fnUntraced(function* (lease, sightings) {
          const byTx = new Map(sightings.map((sighting) => [sighting.match.tx, sighting]))
          const rows = yield* SettlementStore.rowsFor(dictionary, [...byTx.values()])
          return yield* lease.tx(
            Effect.gen(function* () {
              const ledger = yield* SettlementStore.lockLedger(sql)
              const txs = [...byTx].map(([tx, sighting]) => ({ tx, taker: rows.taker(sighting) }))
              const late =
                ledger === undefined ? new Set<string>() : yield* SettlementStore.includedTransactions(sql, ledger, txs)
              const fresh = [...byTx.values()].filter(({ match }) => !late.has(match.tx))
              const inserted = yield* SettlementStore.insertSettlements<{ id: bigint; tx: string }>(
                sql,
                fresh.map((sighting) => rows.settlement(sighting, ledger?.block ?? 0)),
              )
              yield* SettlementStore.insertOrders(
                sql,
                inserted.flatMap(({ id, tx }) => rows.orders(id, byTx.get(tx) as Sighting)),
              )
              yield* log.append(inserted.map(({ id }) => seenEvent(id)))
              return inserted.length
            }),
          )
        }),

        pending: Effect.withSpan(SettlementStore.countPending(reads), "Settlements.pending"),

        drop: Effect.fn("Settlements.drop")((lease: Lease, after: Duration.Duration) =>
          lease.tx(
            Effect.gen(function* () {
              const ledger = yield* SettlementStore.lockLedger(sql)
              if (ledger === undefined) return 0
              const now = yield* Clock.currentTimeMillis
              yield* SettlementStore.startWaiting(sql, ledger)
              const dropped = yield* SettlementStore.dropWaiting(sql, ledger, after, now)
              yield* log.append(dropped.map(({ id }) => statusEvent(id, "dropped", now, null)))
              return dropped.length
            }),
          ),
        ),

        deleteOld: Effect.fn("Settlements.deleteOld")((lease, before) =>
          Effect.map(
            lease.tx(SettlementStore.deleteOld(sql, before, deletedAtOnce)),
            (count) => count === deletedAtOnce,
          ),
        ),
      })
    }),
  )
}
