import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, FactKind, Resolution } from "#src/domain/Fact.ts"
import { bytes, factKinds } from "#src/ledger/factRows.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"

export type FactCounts = Partial<Record<FactKind, number>>

/** A condition is resolved once, by the first log that says so or from which it follows. */
const countResolutions = Effect.fnUntraced(function* (sql: SqlClient, resolutions: ReadonlyArray<Resolution>) {
  const rows = yield* sql<{ condition: string }>`
    select encode(c.hash, 'hex') as condition from condition c join resolution r on r.condition = c.id
    where c.hash = any(${pgArray("bytea", resolutions, ({ condition }) => bytes(condition))})`
  const resolved = new Set(rows.map(({ condition }) => condition))
  return Map.groupBy(
    resolutions.filter(({ condition }) => resolved.has(condition)),
    ({ block }) => block,
  )
})

/** The number of facts that the ledger has of each kind, by block. `facts` are those of the logs. */
export const countStored = Effect.fnUntraced(function* (
  sql: SqlClient,
  { from, to }: BlockRange,
  facts: ReadonlyArray<Fact>,
) {
  const counts = new Map<number, FactCounts>()
  const resolutions = yield* countResolutions(
    sql,
    facts.filter((fact) => fact.kind === "resolution"),
  )
  for (const [block, { length }] of resolutions) counts.set(block, { resolution: length })
  for (const kind of factKinds.filter((each) => each !== "resolution")) {
    const rows = yield* sql<{ block: number; n: number }>`
      select block, count(*)::int as n from ${sql(kind)} where block between ${from} and ${to} group by block`
    for (const { block, n } of rows) counts.set(block, { ...counts.get(block), [kind]: n })
  }
  return counts
})
