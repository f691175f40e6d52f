import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, FactKind } from "#src/domain/Fact.ts"
import type { Numbers } from "#src/ledger/numbered.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** By what a row of its table is told from others. */
const keyOf = (fact: Fact, { condition }: Numbers): string => {
  switch (fact.kind) {
    case "resolution":
      return `${condition(fact.condition)}`
    case "transfer":
      return `${fact.block}:${fact.logIndex}:${fact.sub}`
    default:
      return `${fact.block}:${fact.logIndex}`
  }
}

const storedKeys = Effect.fnUntraced(function* (
  sql: SqlClient,
  kind: FactKind,
  facts: ReadonlyArray<Fact>,
  numbers: Numbers,
) {
  if (kind === "resolution") {
    // A condition is resolved once, wherever that was.
    const conditions = facts.flatMap((fact) => (fact.kind === "resolution" ? [numbers.condition(fact.condition)] : []))
    const rows = yield* sql<{ key: string }>`
      select condition::text as key from resolution where condition = any(${pgArray("int4", conditions)})`
    return new Set(rows.map(({ key }) => key))
  }
  const sub = sql.literal(kind === "transfer" ? "|| ':' || sub" : "")
  const rows = yield* sql<{ key: string }>`
    select block || ':' || log_index ${sub} as key from ${sql(kind)}
    where block between ${facts[0]?.block ?? 0} and ${facts.at(-1)?.block ?? 0}`
  return new Set(rows.map(({ key }) => key))
})

/** Those facts, given in the order of the chain, that the ledger does not have. */
export const missingFrom = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>, numbers: Numbers) {
  const stored = new Map<FactKind, Set<string>>()
  for (const kind of new Set(facts.map((fact) => fact.kind))) {
    const own = facts.filter((fact) => fact.kind === kind)
    stored.set(kind, yield* storedKeys(sql, kind, own, numbers))
  }
  return facts.filter((fact) => {
    const there = stored.get(fact.kind)
    const key = keyOf(fact, numbers)
    if (there === undefined || there.has(key)) return false
    there.add(key)
    return true
  })
})
