import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "#src/domain/Fact.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import { factKinds } from "./LedgerRows.ts"

/** One log may move several tokens; which of them a fact is about is told where it is not the first. */
export const eventOf = (fact: Fact): NewEvent => ({
  kind: fact.kind,
  ref: BigInt(fact.block),
  sub: fact.logIndex,
  ...(fact.kind === "transfer" && fact.sub > 0 ? { data: { sub: fact.sub } } : {}),
})

/** Kinds are written out, so that the index on events of blocks serves. */
const kinds = [...factKinds, "block"].map((kind) => `'${kind}'`).join(", ")

/**
 * Whether the event `e` of the log tells of a block, or of a fact in one, that still stands. One is taken back once: by the first
 * reorganisation after it that forks below its block.
 */
export const isStanding = (sql: SqlClient) =>
  sql.literal(`e.kind in (${kinds}) and not exists (
    select 1 from event_log r where r.kind = 'reorg' and r.seq > e.seq and r.ref < e.ref)`)
