import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "#src/domain/Fact.ts"
import { eventOf, isStanding } from "#src/ledger/factEvents.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"

type Told = Pick<NewEvent, "kind" | "ref" | "sub" | "data">

const nameOf = ({ kind, ref, sub, data }: Told) => [kind, ref, sub, JSON.stringify(data ?? null)].join()

/** The events of facts that nobody has heard of; of a fact that was lost and found again the log may still tell. */
export const untoldEvents = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>) {
  const [first, last] = [facts[0], facts.at(-1)]
  if (first === undefined || last === undefined) return []
  const rows = yield* sql<Told>`
    select e.kind, e.ref, e.sub, e.data from event_log e
    where ${isStanding(sql)} and e.ref between ${first.block} and ${last.block}`
  const told = new Set(rows.map(nameOf))
  return facts.map(eventOf).filter((event) => !told.has(nameOf(event)))
})
