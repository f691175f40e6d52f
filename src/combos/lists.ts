import type { List } from "#src/activity/listSql.ts"
import type { Usdc } from "#src/domain/amounts.ts"
import { isCombo } from "#src/domain/comboIds.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { feeSql } from "#src/trades/feeSql.ts"
import { type EventRow, eventColumns, eventJoins, eventOf, type sourcesOf } from "./eventSql.ts"
import type { ComboEvent, ComboRedemption, ComboTrade } from "./model.ts"

type Sources = ReturnType<typeof sourcesOf>

/** Everything that happened to combos. */
export const eventList = (sources: Sources): List<EventRow, ComboEvent> => ({
  sources,
  columns: eventColumns,
  joins: eventJoins,
  read: eventOf,
})

interface TradeRow extends EventRow {
  readonly is_sale: boolean
  readonly fee: Usdc<bigint>
  readonly order_hash: string
}

/** Filled orders for combos. */
export const tradeList = (sources: Sources): List<TradeRow, ComboTrade> => ({
  sources,
  columns: `${eventColumns}, x.is_sale, ${feeSql("x")} as fee, encode(x.order_hash, 'hex') as order_hash`,
  joins: eventJoins,
  read: (row, listed) => ({
    ...eventOf(row, listed),
    isSale: row.is_sale,
    fee: row.fee,
    orderHash: `0x${row.order_hash}`,
  }),
})

interface RedemptionRow extends EventRow {
  readonly rest: string | null
  readonly created: bigint
  readonly balance: bigint | null
  readonly resolved: boolean | null
}

/** Redemptions, and combos whose resolved legs were removed, with what is left of them. */
export const redemptionList = (sources: Sources): List<RedemptionRow, ComboRedemption> => ({
  sources,
  columns: `
    ${eventColumns}, encode(rest.hash, 'hex') as rest, v.received as created, p.shares as balance,
    rest.resolved_at is not null as resolved`,
  joins: `
    ${eventJoins}
    left join token rest on rest.id = v.yeses[1]
    left join position p on p.token = rest.id and p.wallet = f.wallet`,
  read: (row, listed) => ({
    ...eventOf(row, listed),
    remaining:
      row.rest === null || !isCombo(row.rest)
        ? undefined
        : {
            token: tokenOfHex(row.rest),
            combo: undefined,
            created: row.created,
            balance: row.balance ?? 0n,
            isResolved: row.resolved ?? false,
          },
  }),
})
