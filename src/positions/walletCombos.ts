import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * The tokens of all combos that a wallet ever had, by its id. Walks from one combo to the next in the index: a wallet may have
 * traded one many times, and tokens of combos are spread over the whole table.
 */
export const walletCombos = (sql: SqlClient, wallet: number) =>
  Effect.map(
    sql<{ id: number }>`
      with recursive had(condition) as (
        (select condition from combo_act where wallet = ${wallet} order by condition limit 1)
        union all
        select (
          select a.condition from combo_act a where a.wallet = ${wallet} and a.condition > had.condition
          order by a.condition limit 1)
        from had where had.condition is not null)
      select t.id from had join token t on t.condition = had.condition`,
    (rows) => rows.map(({ id }) => id),
  )
