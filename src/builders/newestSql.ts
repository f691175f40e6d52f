import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** The first block that is not counted yet. */
const firstUncounted = `(
  select coalesce(p.to_block + 1, v.facts_from, c.started_from)
  from chain_cursor c left join builder_progress p on true left join ledger_coverage v on true)`

const since = `coalesce((
  select extract(epoch from at)::int from block where number >= ${firstUncounted} order by number limit 1), 2147483647)`

/** Fills of the blocks that are not counted yet, of one builder or of all; they are added on request, in the same statement. */
export const newestFills = (sql: SqlClient, builder: number | undefined): Fragment => {
  const own = builder === undefined ? sql`true` : sql`f.builder = ${builder}`
  return sql`
    select f.* from fill f where ${own} and f.at >= ${sql.literal(since)} and f.block >= ${sql.literal(firstUncounted)}`
}
