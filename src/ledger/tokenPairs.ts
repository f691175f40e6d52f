import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { TokenPair } from "#src/domain/Fact.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Numbers } from "./numbered.ts"

/** Those of which somebody has yet to say to what condition their tokens belong. */
export const unlearntPairs = Effect.fnUntraced(function* (
  sql: SqlClient,
  pairs: ReadonlyArray<TokenPair>,
  { token }: Numbers,
) {
  const ids = pairs.flatMap(({ tokens }) => tokens.map(token))
  if (ids.length === 0) return []
  const rows = yield* sql<{ id: number }>`
    select id from token where id = any(${pgArray("int4", ids)}) and condition is null`
  const unknown = new Set(rows.map(({ id }) => id))
  return pairs.filter(({ tokens }) => tokens.some((each) => unknown.has(token(each))))
})

/** Tells the tokens of conditions apart, where nobody has done so; how many tokens that were. */
export const learnPairs = Effect.fnUntraced(function* (
  sql: SqlClient,
  pairs: ReadonlyArray<TokenPair>,
  { token, condition }: Numbers,
) {
  if (pairs.length === 0) return 0
  const rows = new Map(
    pairs.flatMap((pair) =>
      pair.tokens.map((each, outcome) => [token(each), { condition: condition(pair.condition), outcome }]),
    ),
  )
  const ids = pgArray("int4", [...rows.keys()])
  const conditions = pgArray(
    "int4",
    [...rows.values()].map((row) => row.condition),
  )
  const outcomes = pgArray(
    "int2",
    [...rows.values()].map((row) => row.outcome),
  )
  const learnt = yield* sql`
    update token t set condition = n.condition, outcome = n.outcome
    from unnest(${ids}, ${conditions}, ${outcomes}) n(id, condition, outcome)
    where t.id = n.id and t.condition is null
    returning t.id`
  return learnt.length
})
