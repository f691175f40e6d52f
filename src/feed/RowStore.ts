import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { feeInSharesSql, fillTimeSql, transactionSql } from "#src/dictionary/factSql.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type {
  ComboRow,
  ConversionRow,
  FeeRow,
  FillRow,
  FlowRow,
  MarketRow,
  OrderRow,
  PairRow,
  RedemptionRow,
  ResolutionRow,
  SettlementRow,
  TransferRow,
} from "./rows.ts"

const columns = (sql: SqlClient, at = "f.at") =>
  sql.literal(`f.block, f.log_index, ${at} as at, encode(${transactionSql("f")}, 'hex') as tx`)
const inBlocks = (sql: SqlClient, blocks: ReadonlyArray<number>) => sql`where f.block = any(${pgArray("int4", blocks)})`

const pairs = (table: "split" | "merge") => (sql: SqlClient, blocks: ReadonlyArray<number>) =>
  sql<PairRow>`select ${columns(sql)}, f.wallet, f.condition, f.amount from ${sql(table)} f ${inBlocks(sql, blocks)}`

/** The facts of some blocks, by table. */
export const facts = {
  fill: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<FillRow>`
      select ${columns(sql, fillTimeSql("f"))}, encode(f.order_hash, 'hex') as order_hash, f.maker,
        nullif(f.taker, 0) as taker, f.exchange, f.is_sale::int as side, f.token, f.shares, f.usd, f.fee,
        ${sql.literal(feeInSharesSql("f"))} as fee_in_shares, encode(b.code, 'hex') as builder
      from fill f left join builder b on b.id = f.builder ${inBlocks(sql, blocks)}`,
  split: pairs("split"),
  merge: pairs("merge"),
  redemption: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<RedemptionRow>`
      select ${columns(sql)}, f.wallet, f.condition, f.tokens, f.shares, f.payout, r.payouts
      from redemption f left join resolution r on r.condition = f.condition ${inBlocks(sql, blocks)}`,
  conversion: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<ConversionRow>`
      select ${columns(sql)}, f.wallet, encode(f.neg_risk_market, 'hex') as neg_risk_market, f.questions, f.nos, f.yeses,
        f.amount, f.paid, f.operation
      from conversion f ${inBlocks(sql, blocks)}`,
  transfer: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<TransferRow>`
      select ${columns(sql)}, f.sub, f.sender, f.receiver, f.token, f.shares,
        count(*) over (partition by f.block, f.log_index) > 1 as batch
      from transfer f ${inBlocks(sql, blocks)}`,
  resolution: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<ResolutionRow>`select ${columns(sql)}, f.sub, f.condition, f.payouts from resolution f ${inBlocks(sql, blocks)}`,
  combo: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<ComboRow>`select ${columns(sql)}, f.condition from combo f ${inBlocks(sql, blocks)}`,
  fee_charge: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<FeeRow>`
      select ${columns(sql)}, f.receiver, f.token, f.usd, encode(f.order_hash, 'hex') as order_hash
      from fee_charge f ${inBlocks(sql, blocks)}`,
  collateral_flow: (sql: SqlClient, blocks: ReadonlyArray<number>) =>
    sql<FlowRow>`select ${columns(sql)}, f.wallet, f.amount from collateral_flow f ${inBlocks(sql, blocks)}`,
} satisfies Readonly<Record<string, (sql: SqlClient, blocks: ReadonlyArray<number>) => unknown>>

/** Settlements with their orders. */
export const settlements = (sql: SqlClient, ids: ReadonlyArray<bigint>) =>
  Effect.map(
    Effect.all(
      [
        sql<Omit<SettlementRow, "orders">>`
          select id, encode(tx, 'hex') as tx, exchange, condition, detected_at from settlement
          where id = any(${pgArray("int8", ids)})`,
        sql<OrderRow>`
          select settlement, place, encode(order_hash, 'hex') as order_hash, maker, encode(signer, 'hex') as signer, token,
            side, shares, usd, fee
          from settlement_order where settlement = any(${pgArray("int8", ids)}) order by settlement, place`,
      ],
      { concurrency: "unbounded" },
    ),
    ([found, orders]): ReadonlyArray<SettlementRow> => {
      const bySettlement = Map.groupBy(orders, ({ settlement }) => settlement)
      return found.map((row) => ({ ...row, orders: bySettlement.get(row.id) ?? [] }))
    },
  )

/** Announced markets, by the venue's ids. */
export const markets = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  sql<MarketRow>`
    select m.id, encode(c.hash, 'hex') as condition, m.question, m.slug, m.image, m.outcomes, m.payouts, m.created_at,
      m.resolved_at, e.slug as event_slug, e.tags,
      array(select encode(t.hash, 'hex') from token t
        where t.condition = m.condition and t.outcome is not null order by t.outcome) as tokens
    from market m left join condition c on c.id = m.condition left join event e on e.id = m.event
    where m.id = any(${pgArray("int4", ids)})`
