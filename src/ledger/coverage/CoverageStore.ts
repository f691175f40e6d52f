import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { BlockTime } from "../historyGoal.ts"

/** A block and its time, from which on something is in the ledger. */
export interface CoverageStart {
  readonly block: number
  /** In milliseconds. */
  readonly at: number
  /** Whether nothing of the venue lies before it. */
  readonly isComplete: boolean
}

/** Fills, exports and other lists of facts may reach further back than positions, profits and leaderboards. */
export interface Coverage {
  readonly facts: CoverageStart
  readonly positions: CoverageStart
  /** Older facts were dropped once positions counted them; undefined if none were. */
  readonly droppedBefore: number | undefined
}

interface Row {
  readonly venue_from: number
  readonly facts_from: number
  readonly facts_since: Date
  readonly positions_from: number
  readonly positions_since: Date
  readonly dropped_before: number | null
}

/** Undefined while the ledger is empty. */
export const read = (sql: SqlClient) =>
  Effect.map(
    sql<Row>`
      select coalesce(v.venue_from, c.started_from) as venue_from, coalesce(v.facts_from, c.started_from) as facts_from,
        coalesce(v.facts_since, 'epoch') as facts_since, c.started_from as positions_from,
        coalesce(v.positions_since, 'epoch') as positions_since, v.dropped_before
      from chain_cursor c left join ledger_coverage v on true`,
    ([row]): Coverage | undefined => {
      if (row === undefined) return undefined
      const start = (block: number, since: Date): CoverageStart => ({
        block,
        at: since.getTime(),
        isComplete: block <= row.venue_from,
      })
      return {
        facts: start(row.facts_from, row.facts_since),
        positions: start(row.positions_from, row.positions_since),
        droppedBefore: row.dropped_before ?? undefined,
      }
    },
  )

/** Facts before this block were dropped; undefined if none were. */
export const droppedBefore = (sql: SqlClient) =>
  Effect.map(
    sql<{ dropped_before: number | null }>`select dropped_before from ledger_coverage`,
    ([row]) => row?.dropped_before ?? undefined,
  )

/** Records where a new ledger begins; of an existing one, only where the venue does. */
export const begin = (sql: SqlClient, venueFrom: number, first: BlockTime) => {
  const since = new Date(first.at)
  return sql`
    insert into ledger_coverage as v (venue_from, facts_from, facts_since, positions_since)
    values (${venueFrom}, ${first.number}, ${since}, ${since})
    on conflict (single) do update set venue_from = excluded.venue_from,
      facts_from = case when exists (select from chain_cursor) then v.facts_from else excluded.facts_from end,
      facts_since = case when exists (select from chain_cursor) then v.facts_since else excluded.facts_since end,
      positions_since = case when exists (select from chain_cursor) then v.positions_since else excluded.positions_since end`
}

/** Moves the start of the facts; fails to find a row if another writer has moved it. */
export const moveFacts = (sql: SqlClient, was: number, first: BlockTime) =>
  Effect.map(
    sql`
      update ledger_coverage set facts_from = ${first.number}, facts_since = ${new Date(first.at)}
      where facts_from = ${was} returning 1`,
    (rows) => rows.length > 0,
  )

/** Moves the start of the positions. */
export const movePositions = Effect.fnUntraced(function* (sql: SqlClient, first: BlockTime) {
  yield* sql`update chain_cursor set started_from = ${first.number}`
  yield* sql`
    update ledger_coverage set positions_since = ${new Date(first.at)},
      facts_since = case when facts_from > ${first.number} then ${new Date(first.at)} else facts_since end,
      facts_from = least(facts_from, ${first.number})`
})
