import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, FactKind } from "#src/domain/Fact.ts"
import { factEvent, isCanonical, isLogged } from "#src/ledger/events.ts"
import type { IdLookup } from "#src/ledger/idLookup.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** Identifies the row of a fact within its table. */
const keyOf = (fact: Fact, { condition }: IdLookup): string => {
  switch (fact.kind) {
    case "resolution":
      return `${condition(fact.condition)}`
    case "transfer":
    case "stock_change":
      return `${fact.block}:${fact.logIndex}:${fact.sub}`
    default:
      return `${fact.block}:${fact.logIndex}`
  }
}

const storedKeys = Effect.fnUntraced(function* (
  sql: SqlClient,
  kind: FactKind,
  facts: ReadonlyArray<Fact>,
  ids: IdLookup,
) {
  if (kind === "resolution") {
    // A condition is resolved once, in whatever block.
    const conditions = facts.flatMap((fact) => (fact.kind === "resolution" ? [ids.condition(fact.condition)] : []))
    const rows = yield* sql<{ key: string }>`
      select condition::text as key from resolution where condition = any(${pgArray("int4", conditions)})`
    return new Set(rows.map(({ key }) => key))
  }
  const sub = sql.literal(kind === "transfer" || kind === "stock_change" ? "|| ':' || sub" : "")
  const rows = yield* sql<{ key: string }>`
    select block || ':' || log_index ${sub} as key from ${sql(kind)}
    where block between ${facts[0]?.block ?? 0} and ${facts.at(-1)?.block ?? 0}`
  return new Set(rows.map(({ key }) => key))
})

/** Facts that the ledger lacks. `facts` must be in chain order. */
export const missingFacts = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>, ids: IdLookup) {
  const stored = new Map<FactKind, Set<string>>()
  for (const [kind, sameKind] of Map.groupBy(facts, (fact) => fact.kind)) {
    stored.set(kind, yield* storedKeys(sql, kind, sameKind, ids))
  }
  return facts.filter((fact) => {
    const keys = stored.get(fact.kind)
    const key = keyOf(fact, ids)
    if (keys === undefined || keys.has(key)) return false
    keys.add(key)
    return true
  })
})

type EventName = Pick<NewEvent, "kind" | "ref" | "sub" | "data">

const nameOf = ({ kind, ref, sub, data }: EventName) => [kind, ref, sub, JSON.stringify(data ?? null)].join()

/** Events of facts that the log lacks; it may still have those of facts that were lost. */
export const missingEvents = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>) {
  if (facts.length === 0) return []
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const { block } of facts) [first, last] = [Math.min(first, block), Math.max(last, block)]
  const rows = yield* sql<EventName>`
    select e.kind, e.ref, e.sub, e.data from event_log e
    where ${isCanonical(sql)} and e.ref between ${first} and ${last}`
  const logged = new Set(rows.map(nameOf))
  return facts
    .filter(isLogged)
    .map(factEvent)
    .filter((event) => !logged.has(nameOf(event)))
})
