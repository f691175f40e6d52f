import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import { pgArray } from "#src/platform/pgArray.ts"
import type { Fact } from "../model.ts"

const nameOf = (kind: string, ref: bigint | number, sub: number) => `${kind}:${ref}:${sub}`

/** The events of facts that nobody has heard of; of a fact that was lost and found again the log may still tell. */
export const untoldEvents = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>) {
  const [first, last] = [facts[0], facts.at(-1)]
  if (first === undefined || last === undefined) return []
  const kinds = [...new Set(facts.map(({ kind }) => kind))]
  const rows = yield* sql<{ kind: string; ref: bigint; sub: number }>`
    select e.kind, e.ref, e.sub from event_log e
    where e.kind = any(${pgArray("text", kinds)}) and e.ref between ${first.block} and ${last.block}
      and not exists (select 1 from event_log r where r.kind = 'reorg' and r.seq > e.seq and r.ref < e.ref)`
  const told = new Set(rows.map(({ kind, ref, sub }) => nameOf(kind, ref, sub)))
  return facts.flatMap(
    ({ kind, block, logIndex }): ReadonlyArray<NewEvent> =>
      told.has(nameOf(kind, block, logIndex)) ? [] : [{ kind, ref: BigInt(block), sub: logIndex }],
  )
})
