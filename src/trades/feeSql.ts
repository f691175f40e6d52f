import { feeInSharesSql } from "#src/dictionary/factSql.ts"

/** A fee in shares counts at the price of the trade, rounded half up. */
const inDollars = (f: string, fee: string) => `
  case when ${feeInSharesSql(f)} and ${f}.shares > 0
    then div(2::numeric * ${fee} * ${f}.usd + ${f}.shares, 2::numeric * ${f}.shares)::int8 else ${fee} end`

/** The fee of a fill as it was charged, in dollars. */
export const chargedFeeSql = (f: string): string => `(${inDollars(f, `${f}.fee`)})`

/** The fee of a fill less its refund, in dollars. */
export const feeSql = (f: string): string => `(
  select ${inDollars(f, "charged.fee")}
  from (
    select ${f}.fee - least(${f}.fee, coalesce((
      select sum(r.amount)::int8 from fee_refund r
      where r.block = ${f}.block and r.order_hash = ${f}.order_hash and r.wallet = ${f}.maker
        and r.in_shares = ${feeInSharesSql(f)}), 0)) as fee) charged)`
