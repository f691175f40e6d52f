import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { feeInSharesSql } from "#src/dictionary/factSql.ts"

/** The first and the last block, or SQL for them. */
interface BlockBounds {
  readonly from: number | Fragment
  readonly to: number | Fragment
}

/**
 * By how many shares each fact changed what a wallet holds of a token, of the fills and of the other facts that meet a
 * condition on their own columns.
 */
export const shareChangesWhere = (sql: SqlClient, ofFill: Fragment, ofOther: Fragment): Fragment => sql`
  select maker as wallet, token,
    case when is_sale then -shares when ${sql.literal(feeInSharesSql("fill"))} then shares - fee else shares end as shares
  from fill where ${ofFill}
  union all select wallet, token, shares from stock_change where ${ofOther}
  union all select wallet, token, amount from fee_refund where in_shares and ${ofOther}
  union all select s.wallet, t.id, s.amount from split s join token t using (condition) where ${ofOther}
  union all select m.wallet, t.id, -m.amount from merge m join token t using (condition) where ${ofOther}
  union all
  select r.wallet, x.token, -x.shares from redemption r, unnest(r.tokens, r.shares) x(token, shares) where ${ofOther}
  union all select c.wallet, x.token, -c.amount from conversion c, unnest(c.nos) x(token) where ${ofOther}
  union all select c.wallet, x.token, c.received from conversion c, unnest(c.yeses) x(token) where ${ofOther}
  union all select sender, token, -shares from transfer where ${ofOther}
  union all select receiver, token, shares from transfer where ${ofOther}`

/** The same of these blocks. */
export const shareChanges = (sql: SqlClient, { from, to }: BlockBounds): Fragment => {
  const within = sql`block between ${from} and ${to}`
  return shareChangesWhere(sql, within, within)
}
