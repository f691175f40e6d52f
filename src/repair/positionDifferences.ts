import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Holdings } from "#src/ledger/positions/Holdings.ts"
import { emptyPosition, type Position, type RealizedEvent, realizedKinds } from "#src/ledger/positions/model.ts"
import { numbered, type PositionRow, positionOf } from "#src/ledger/positions/PositionStore.ts"
import type { Step } from "#src/ledger/positions/recompute.ts"

const positionsAtOnce = 20_000
const fieldNames = Object.keys(emptyPosition(0, 0))
const lowestNumber = -2_147_483_648

/** Rows that are not as they should be. */
export interface Differences {
  readonly rows: number
  /** The blocks that have such rows. */
  readonly blocks: ReadonlyArray<number>
}

/** A row without its key, so that two can be compared. */
type Rows = Map<string, { readonly block: number; readonly content: string }>

const compare = (should: Rows, is: Rows): Differences => {
  const blocks = new Set<number>()
  let rows = 0
  const note = ({ block }: { readonly block: number }) => {
    rows += 1
    blocks.add(block)
  }
  for (const [key, row] of should) if (is.get(key)?.content !== row.content) note(row)
  for (const [key, row] of is) if (!should.has(key)) note(row)
  return { rows, blocks: [...blocks] }
}

const eventRows = (events: ReadonlyArray<RealizedEvent>): Rows =>
  new Map(
    numbered(events).map(({ block, logIndex, sub, at, wallet, token, kind, amount }) => [
      `${block}:${logIndex}:${sub}`,
      { block, content: [at, wallet, token, realizedKinds.indexOf(kind), amount].join() },
    ]),
  )

/** Which gains and losses of these blocks are not what the facts say. */
export const eventDifferences = Effect.fnUntraced(function* (sql: SqlClient, { first, last, events }: Step) {
  const stored = yield* sql<{
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
  const is: Rows = new Map(
    stored.map(({ block, log_index, sub, at, wallet, token, kind, amount }) => [
      `${block}:${log_index}:${sub}`,
      { block, content: [at.getTime(), wallet, token, kind, amount].join() },
    ]),
  )
  return compare(eventRows(events), is)
})

const contentOf = (position: Position | undefined): string =>
  position === undefined ? "none" : JSON.stringify(position, fieldNames)

const contentOfRow = (row: PositionRow): string => contentOf(positionOf(row))

type AbsentRow = { readonly shares: null }

/** Which rows for taking back these blocks are not what the facts say. */
export const undoDifferences = Effect.fnUntraced(function* (sql: SqlClient, { first, last, undo }: Step) {
  const stored = yield* sql<{ block: number; wallet: number; token: number } & (PositionRow | AbsentRow)>`
    select * from position_undo
    where block between ${first} and ${last}`
  const is: Rows = new Map(
    stored.map((row) => [
      `${row.block}:${row.wallet}:${row.token}`,
      { block: row.block, content: row.shares === null ? contentOf(undefined) : contentOfRow(row) },
    ]),
  )
  const should: Rows = new Map()
  for (const notes of undo.values()) {
    for (const { block, wallet, token, before } of notes) {
      should.set(`${block}:${wallet}:${token}`, { block, content: contentOf(before) })
    }
  }
  return compare(should, is)
})

/** Which stored positions are not what they should be, and which should not be there at all. */
export const positionDifferences = Effect.fnUntraced(function* (sql: SqlClient, holdings: Holdings) {
  const found = new Set<Position>()
  const wrong: Array<Position> = []
  const surplus: Array<readonly [wallet: number, token: number]> = []
  let stored = 0
  for (let after = { wallet: lowestNumber, token: lowestNumber }; ; ) {
    const rows: ReadonlyArray<PositionRow> = yield* sql<PositionRow>`
      select * from position
      where (wallet, token) > (${after.wallet}::int, ${after.token}::int)
      order by wallet, token limit ${positionsAtOnce}`
    for (const row of rows) {
      const should = holdings.get(row.wallet, row.token)
      if (should === undefined) {
        surplus.push([row.wallet, row.token])
        continue
      }
      found.add(should)
      if (contentOf(should) !== contentOfRow(row)) wrong.push(should)
    }
    stored += rows.length
    const last = rows.at(-1)
    if (last === undefined) break
    after = last
  }
  for (const should of holdings.all()) if (!found.has(should)) wrong.push(should)
  return { stored, wrong, surplus }
})
