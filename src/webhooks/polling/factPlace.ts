import type { SqlClient } from "effect/unstable/sql/SqlClient"

const tables = ["fill", "split", "merge", "redemption", "conversion", "transfer", "fee_refund", "resolution"] as const
type PlacedKind = (typeof tables)[number]

/**
 * In SQL, which fact of its kind something is in its transaction, from 0: the same in whatever block that is. `of` has a
 * kind, block, log_index, sub, at and tx.
 */
export const ordinalOf = (sql: SqlClient, of: string, kinds: ReadonlyArray<PlacedKind> = tables) => {
  const before = (kind: PlacedKind) =>
    kind === "transfer" ? `(f.log_index, f.sub) < (${of}.log_index, ${of}.sub)` : `f.log_index < ${of}.log_index`
  const counted = kinds.map(
    (kind) => `when '${kind}' then (
      select count(*)::int from ${kind} f
      where f.block = ${of}.block and f.at = ${of}.at and f.tx = ${of}.tx and ${before(kind)})`,
  )
  return sql.literal(`case ${of}.kind ${counted.join(" ")} end`)
}
