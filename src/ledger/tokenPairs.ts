import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { TokenPair } from "#src/domain/Fact.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import type { IdLookup } from "./idLookup.ts"

/** Pairs with a token whose condition is not stored yet. */
export const missingPairs = Effect.fnUntraced(function* (
  sql: SqlClient,
  pairs: ReadonlyArray<TokenPair>,
  { token }: IdLookup,
) {
  const ids = pairs.flatMap(({ tokens }) => tokens.map(token))
  if (ids.length === 0) return []
  const rows = yield* sql<{ id: number }>`
    select id from token where id = any(${pgArray("int4", ids)}) and condition is null`
  const unknown = new Set(rows.map(({ id }) => id))
  return pairs.filter(({ tokens }) => tokens.some((each) => unknown.has(token(each))))
})

/** Stores the condition and outcome of tokens that have none. Returns the number of updated tokens. */
export const savePairs = Effect.fnUntraced(function* (
  sql: SqlClient,
  pairs: ReadonlyArray<TokenPair>,
  { token, condition }: IdLookup,
) {
  if (pairs.length === 0) return 0
  const rows = new Map(
    pairs.flatMap((pair) =>
      pair.tokens.map((each, outcome) => {
        const id = token(each)
        return [id, { id, condition: condition(pair.condition), outcome }]
      }),
    ),
  )
  const tokens = unnest(sql, "n", [...rows.values()], {
    id: ["int4", (row) => row.id],
    condition: ["int4", (row) => row.condition],
    outcome: ["int2", (row) => row.outcome],
  })
  const updated = yield* sql`
    update token t set condition = n.condition, outcome = n.outcome from ${tokens}
    where t.id = n.id and t.condition is null
    returning t.id`
  return updated.length
})
