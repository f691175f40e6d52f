import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { grouped } from "./grouped.ts"
import type { OrderRow, SettlementRow } from "./rows.ts"

/** Settlements with their orders, however many with one query of each table. */
export const settlementRowStore =
  ({ reads }: Postgres["Service"]) =>
  (ids: ReadonlyArray<bigint>) =>
    Effect.map(
      Effect.all(
        [
          reads<Omit<SettlementRow, "orders">>`
            select id, encode(tx, 'hex') as tx, exchange, condition, detected_at from settlement
            where id = any(${pgArray("int8", ids)})`,
          reads<OrderRow>`
            select settlement, place, encode(order_hash, 'hex') as order_hash, maker, encode(signer, 'hex') as signer, token,
              side, shares, usd, fee
            from settlement_order where settlement = any(${pgArray("int8", ids)}) order by settlement, place`,
        ],
        { concurrency: "unbounded" },
      ),
      ([settlements, orders]): ReadonlyArray<SettlementRow> => {
        const own = grouped(orders, ({ settlement }) => settlement)
        return settlements.map((row) => ({ ...row, orders: own.get(row.id) ?? [] }))
      },
    )
