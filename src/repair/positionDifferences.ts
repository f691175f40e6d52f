import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Holdings } from "#src/ledger/positions/Holdings.ts"
import { emptyPosition, type Position, type RealizedEvent, realizedKinds } from "#src/ledger/positions/model.ts"
import { numberWithinLog, type PositionRow, positionOf } from "#src/ledger/positions/PositionStore.ts"
import type { RecomputeStep } from "#src/ledger/positions/recompute.ts"

const positionsPerPage = 20_000
const fieldNames = Object.keys(emptyPosition(0, 0))
const lowestId = -2_147_483_648

/** Rows that differ from the expected ones. */
export interface Differences {
  readonly rows: number
  /** Blocks with such rows. */
  readonly blocks: ReadonlyArray<number>
}

/** Contents of rows by key. */
type Rows = Map<string, { readonly block: number; readonly content: string }>

const compare = (expected: Rows, stored: Rows): Differences => {
  const blocks = new Set<number>()
  let rows = 0
  const note = ({ block }: { readonly block: number }) => {
    rows += 1
    blocks.add(block)
  }
  for (const [key, row] of expected) if (stored.get(key)?.content !== row.content) note(row)
  for (const [key, row] of stored) if (!expected.has(key)) note(row)
  return { rows, blocks: [...blocks] }
}

const eventRows = (events: ReadonlyArray<RealizedEvent>): Rows =>
  new Map(
    numberWithinLog(events).map(({ block, logIndex, sub, at, wallet, token, kind, amount }) => [
      `${block}:${logIndex}:${sub}`,
      { block, content: [at, wallet, token, realizedKinds.indexOf(kind), amount].join() },
    ]),
  )

/** Compares the realized events of these blocks with the expected ones. */
export const eventDifferences = Effect.fnUntraced(function* (sql: SqlClient, { first, last, events }: RecomputeStep) {
  const rows = yield* sql<{
    block: number
    log_index: number
    sub: number
    at: Date
    wallet: number
    token: number
    kind: number
    amount: bigint
  }>`select block, log_index, sub, at, wallet, token, kind, amount from realized_event
    where block between ${first} and ${last}`
  const stored: Rows = new Map(
    rows.map(({ block, log_index, sub, at, wallet, token, kind, amount }) => [
      `${block}:${log_index}:${sub}`,
      { block, content: [at.getTime(), wallet, token, kind, amount].join() },
    ]),
  )
  return compare(eventRows(events), stored)
})

const contentOf = (position: Position | undefined): string =>
  position === undefined ? "none" : JSON.stringify(position, fieldNames)

const contentOfRow = (row: PositionRow): string => contentOf(positionOf(row))

type AbsentRow = { readonly shares: null }

/** Compares the undo rows of these blocks with the expected ones. */
export const undoDifferences = Effect.fnUntraced(function* (sql: SqlClient, { first, last, undo }: RecomputeStep) {
  const rows = yield* sql<{ block: number; wallet: number; token: number } & (PositionRow | AbsentRow)>`
    select * from position_undo
    where block between ${first} and ${last}`
  const stored: Rows = new Map(
    rows.map((row) => [
      `${row.block}:${row.wallet}:${row.token}`,
      { block: row.block, content: row.shares === null ? contentOf(undefined) : contentOfRow(row) },
    ]),
  )
  const expected: Rows = new Map()
  for (const notes of undo.values()) {
    for (const { block, wallet, token, before } of notes) {
      expected.set(`${block}:${wallet}:${token}`, { block, content: contentOf(before) })
    }
  }
  return compare(expected, stored)
})

/** Compares the stored positions with the expected ones; `surplus` should not exist. */
export const positionDifferences = Effect.fnUntraced(function* (sql: SqlClient, holdings: Holdings) {
  const found = new Set<Position>()
  const wrong: Array<Position> = []
  const surplus: Array<readonly [wallet: number, token: number]> = []
  let stored = 0
  for (let after = { wallet: lowestId, token: lowestId }; ; ) {
    const rows: ReadonlyArray<PositionRow> = yield* sql<PositionRow>`
      select * from position
      where (wallet, token) > (${after.wallet}::int, ${after.token}::int)
      order by wallet, token limit ${positionsPerPage}`
    for (const row of rows) {
      const expected = holdings.get(row.wallet, row.token)
      if (expected === undefined) {
        surplus.push([row.wallet, row.token])
        continue
      }
      found.add(expected)
      if (contentOf(expected) !== contentOfRow(row)) wrong.push(expected)
    }
    stored += rows.length
    const last = rows.at(-1)
    if (last === undefined) break
    after = last
  }
  for (const expected of holdings.all()) if (!found.has(expected)) wrong.push(expected)
  return { stored, wrong, surplus }
})
