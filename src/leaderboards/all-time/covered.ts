import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** Whatever changes a position has a row in one of them; of what is resolved that is a gain or a loss of each holder. */
const changing = ["fill", "split", "merge", "redemption", "conversion", "transfer", "fee_refund", "realized_event"]

/**
 * A row if the ledger no longer knows how all positions were before these blocks. History is read without noting that, and
 * what was noted is forgotten once a block cannot be replaced any more.
 */
export const uncovered = (sql: SqlClient, after: number | Fragment, upTo: number | Fragment): Fragment => {
  const blocks = changing.map(
    (table) => sql`
      (select distinct c.block from ${sql(table)} c where c.block > ${after} and c.block <= ${upTo}
      ${table === "redemption" ? sql`and cardinality(c.tokens) > 0` : sql``} order by c.block)`,
  )
  return sql`
    select 1 from (${sql.join(" union all ", false)(blocks)}) c
    where not exists (select 1 from position_undo u where u.block = c.block) limit 1`
}

/** Whether it knows all of them. */
export const isCovered = (sql: SqlClient, after: number, upTo: number) =>
  Effect.map(sql`${uncovered(sql, after, upTo)}`, (missing) => missing.length === 0)
