import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, FactKind } from "#src/domain/Fact.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import { factKinds } from "./factRows.ts"
import type { Batch, BlockSummary } from "./model.ts"

/** Payments to makers and the stock of operators are part of no stream, so the log leaves them out. */
const unlogged: ReadonlySet<FactKind> = new Set(["maker_payment", "stock_change"])

export const isLogged = ({ kind }: Pick<Fact, "kind">): boolean => !unlogged.has(kind)

export const loggedKinds = factKinds.filter((kind) => isLogged({ kind }))

/** A log that moves several tokens, or decides several conditions, has several facts; all but the first carry their index. */
export const factEvent = (fact: Fact): NewEvent => ({
  kind: fact.kind,
  ref: BigInt(fact.block),
  sub: fact.logIndex,
  ...("sub" in fact && fact.sub > 0 ? { data: { sub: fact.sub } } : {}),
})

const blockEvent = (number: number, data: BlockSummary): NewEvent => ({ kind: "block", ref: BigInt(number), data })

/** The events of a batch: for each block its facts, then the block itself. */
export const eventsOf = ({ facts, blockSummaries, eventsSince }: Batch): ReadonlyArray<NewEvent> => {
  const events: Array<NewEvent> = []
  let next = 0
  const pushFactsUpTo = (block: number) => {
    for (let fact = facts[next]; fact !== undefined && fact.block <= block; fact = facts[++next]) {
      if (fact.at >= eventsSince && isLogged(fact)) events.push(factEvent(fact))
    }
  }
  for (const [number, block] of blockSummaries) {
    pushFactsUpTo(number)
    if (block.at >= eventsSince) events.push(blockEvent(number, block))
  }
  pushFactsUpTo(Number.POSITIVE_INFINITY)
  return events
}

/** Literal kinds, so that Postgres can use the partial index on events of blocks. */
const kinds = [...loggedKinds, "block"].map((kind) => `'${kind}'`).join(", ")

/**
 * SQL condition: the event `e` belongs to a block that is still canonical. The first reorganisation after the event that
 * forks below its block retracts it.
 */
export const isCanonical = (sql: SqlClient) =>
  sql.literal(`e.kind in (${kinds}) and not exists (
    select 1 from event_log r where r.kind = 'reorg' and r.seq > e.seq and r.ref < e.ref)`)
