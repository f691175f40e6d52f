import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** The tokens of all combos that a wallet ever had, by its id. Indexes have all of it: tokens of combos are spread over a large table. */
export const walletCombos = (sql: SqlClient, wallet: number) =>
  Effect.map(
    sql<{ ids: ReadonlyArray<number> }>`
      select array(
        select t.id from (select distinct condition from combo_act where wallet = ${wallet}) had
        join token t on t.condition = had.condition) as ids`,
    ([row]) => row?.ids ?? [],
  )
