import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, FactKind } from "#src/domain/Fact.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import type { ApprovalLog } from "#src/upstream/chain/readLogs.ts"
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

/** What a wallet allowed a contract, in the log alone: no table has it. */
export interface LoggedApproval {
  readonly tx: string
  /** Milliseconds. */
  readonly at: number
  readonly owner: string
  readonly operator: string
  /** Of all positions; absent for collateral. */
  readonly approved?: boolean
  /** Of collateral. */
  readonly allowance?: number | "unlimited"
}

const approvalEvent = ({ block, logIndex, tx, at, event }: ApprovalLog): NewEvent => {
  const { owner } = event
  const given =
    event._tag === "ApprovalForAll"
      ? { operator: event.operator, approved: event.approved }
      : { operator: event.spender, allowance: event.amount }
  const data: LoggedApproval = { tx, at, owner, ...given }
  return { kind: "approval", ref: BigInt(block), sub: logIndex, data }
}

const blockEvent = (number: number, data: BlockSummary): NewEvent => ({ kind: "block", ref: BigInt(number), data })

/** The events of a batch: for each block its facts and approvals, then the block itself. */
export const eventsOf = ({ facts, approvals, blockSummaries, eventsSince }: Batch): ReadonlyArray<NewEvent> => {
  const events: Array<NewEvent> = []
  const isRecent = ({ at }: { readonly at: number }) => at >= eventsSince
  const factsOf = takingUpTo(facts.filter((fact) => isRecent(fact) && isLogged(fact)))
  const approvalsOf = takingUpTo(approvals.filter(isRecent))
  const pushUpTo = (block: number) => {
    for (const fact of factsOf(block)) events.push(factEvent(fact))
    for (const approval of approvalsOf(block)) events.push(approvalEvent(approval))
  }
  for (const [number, block] of blockSummaries) {
    pushUpTo(number)
    if (isRecent(block)) events.push(blockEvent(number, block))
  }
  pushUpTo(Number.POSITIVE_INFINITY)
  return events
}

/** Returns a function that takes the next items up to and including a block. */
const takingUpTo = <A extends { readonly block: number }>(items: ReadonlyArray<A>) => {
  let next = 0
  return (block: number): ReadonlyArray<A> => {
    const start = next
    while (next < items.length && (items[next] as A).block <= block) next += 1
    return items.slice(start, next)
  }
}

/** Literal kinds, so that Postgres can use the partial index on events of blocks. */
const kinds = [...loggedKinds, "approval", "block"].map((kind) => `'${kind}'`).join(", ")

/**
 * SQL condition: the event `e` belongs to a block that is still canonical. The first reorganisation after the event that
 * forks below its block retracts it.
 */
export const isCanonical = (sql: SqlClient) =>
  sql.literal(`e.kind in (${kinds}) and not exists (
    select 1 from event_log r where r.kind = 'reorg' and r.seq > e.seq and r.ref < e.ref)`)
