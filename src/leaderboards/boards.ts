import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { standing } from "./all-time/standing.ts"
import type { Board } from "./Board.ts"
import type { Reached } from "./model.ts"
import { replaceAll } from "./replace.ts"
import { rolling } from "./rolling.ts"
import { dropSets } from "./scopeSets.ts"
import { rescopeAll } from "./scopes.ts"

export const boards: ReadonlyArray<Board> = [rolling, standing]

/** All of them from the ledger as it is. Readers have the earlier ones until the transaction is over. */
export const buildBoards = Effect.fnUntraced(function* (sql: SqlClient, to: Reached) {
  yield* rescopeAll(sql)
  for (const board of boards) yield* board.rebuild(sql, to)
  yield* dropSets(sql)
  yield* replaceAll(sql)
})
