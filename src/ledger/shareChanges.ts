import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { feeInSharesSql } from "#src/dictionary/factSql.ts"

/** The first and the last block, or SQL for them. */
interface BlockBounds {
  readonly from: number | Fragment
  readonly to: number | Fragment
}

/** Conditions on the columns of facts. */
interface FactConditions {
  readonly fill: Fragment
  /** Of facts that name one `token`. */
  readonly ofToken: Fragment
  /** Of facts that name a `condition`. */
  readonly ofCondition: Fragment
  readonly conversion: Fragment
}

/** By how many shares each fact that meets the conditions changed what a wallet holds of a token. */
export const shareChangesWhere = (
  sql: SqlClient,
  { fill, ofToken, ofCondition, conversion }: FactConditions,
): Fragment => sql`
  select maker as wallet, token,
    case when is_sale then -shares when ${sql.literal(feeInSharesSql("fill"))} then shares - fee else shares end as shares
  from fill where ${fill}
  union all select wallet, token, shares from stock_change where ${ofToken}
  union all select wallet, token, amount from fee_refund where in_shares and ${ofToken}
  union all select s.wallet, t.id, s.amount from split s join token t using (condition) where ${ofCondition}
  union all select m.wallet, t.id, -m.amount from merge m join token t using (condition) where ${ofCondition}
  union all
  select r.wallet, x.token, -x.shares from redemption r, unnest(r.tokens, r.shares) x(token, shares) where ${ofCondition}
  union all select c.wallet, x.token, -c.amount from conversion c, unnest(c.nos) x(token) where ${conversion}
  union all select c.wallet, x.token, c.received from conversion c, unnest(c.yeses) x(token) where ${conversion}
  union all select sender, token, -shares from transfer where ${ofToken}
  union all select receiver, token, shares from transfer where ${ofToken}`

/** The same of these blocks. */
export const shareChanges = (sql: SqlClient, { from, to }: BlockBounds): Fragment => {
  const within = sql`block between ${from} and ${to}`
  return shareChangesWhere(sql, { fill: within, ofToken: within, ofCondition: within, conversion: within })
}
