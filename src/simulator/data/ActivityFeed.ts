import { floats } from "../world/columns.ts"
import type { Facts } from "../world/Facts.ts"
import { type Activity, type ActivityType, typeOf } from "./activityRows.ts"
import { fillsByWallet, rowsWithin } from "./fills.ts"
import type { Ledger, TxRange } from "./Ledger.ts"

/** A row as one number that grows with time: its transaction and its index within it. */
const rowsPerTx = 512
const rowOf = (tx: number, index: number) => tx * rowsPerTx + index
export const txOfRow = (row: number): number => Math.floor(row / rowsPerTx)

/** The fill or the redeemed outcome of a row. */
export const activityOf = (ledger: Ledger, row: number): Activity => {
  const tx = txOfRow(row)
  const index = row % rowsPerTx
  const type = typeOf(ledger, tx) as ActivityType
  return {
    tx,
    type,
    fill: type === "TRADE" ? ledger.facts.firstFill.get(tx) + index : -1,
    outcome: type === "REDEEM" ? (index === 0 ? 0 : 1) : undefined,
  }
}

function* tradeRows(facts: Facts, wallet: number, [from, to]: TxRange): Iterable<number> {
  const [first, end] = [from, to].map((tx) => (tx < facts.length ? facts.firstFill.get(tx) : facts.fills))
  for (const fill of fillsByWallet(facts, wallet, first as number, end as number)) {
    const tx = facts.txOf(fill)
    yield rowOf(tx, fill - facts.firstFill.get(tx))
  }
}

/** All other activity of a wallet, with one row per redeemed outcome. */
function* otherRows(ledger: Ledger, wallet: number, [from, to]: TxRange): Iterable<number> {
  const { facts } = ledger
  const isOwn = (tx: number) => tx < facts.length && facts.wallet.get(tx) === wallet
  for (const tx of rowsWithin(facts.byWallet, wallet, from, to, isOwn)) {
    const type = typeOf(ledger, tx)
    if (type === undefined || type === "TRADE") continue
    if (type !== "REDEEM") yield rowOf(tx, 0)
    else {
      if (facts.second.get(tx) > 0) yield rowOf(tx, 1)
      if (facts.amount.get(tx) > 0) yield rowOf(tx, 0)
    }
  }
}

/** Merges two descending sequences. */
function* mergeDescending(a: Iterable<number>, b: Iterable<number>): Iterable<number> {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()]
  let [x, y] = [left.next(), right.next()]
  while (x.done !== true || y.done !== true) {
    if (y.done === true || (x.done !== true && x.value > y.value)) {
      yield x.value
      x = left.next()
    } else {
      yield y.value
      y = right.next()
    }
  }
}

/** Which rows to read. */
interface RowKinds {
  readonly trades: boolean
  readonly others: boolean
}

const allKinds: RowKinds = { trades: true, others: true }

const maxCached = 20

/** The activity of wallets in both directions. */
export class ActivityFeed {
  readonly #ledger: Ledger
  /** LRU cache of all rows of a wallet, oldest first. */
  readonly #ascending = new Map<number, { readonly rows: ReturnType<typeof floats>; nextTx: number }>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  newestFirst(wallet: number, txs: TxRange, { trades, others }: RowKinds): Iterable<number> {
    if (!others) return tradeRows(this.#ledger.facts, wallet, txs)
    const rest = otherRows(this.#ledger, wallet, txs)
    return trades ? mergeDescending(tradeRows(this.#ledger.facts, wallet, txs), rest) : rest
  }

  /** The row links only lead back in time, so this needs a list. */
  *oldestFirst(wallet: number, [from, to]: TxRange, after: number): Iterable<number> {
    const rows = this.#listOf(wallet)
    for (let i = rows.lowerBound(Math.max(rowOf(from, 0), after + 1)); i < rows.length; i++) {
      if (txOfRow(rows.get(i)) >= to) return
      yield rows.get(i)
    }
  }

  #listOf(wallet: number) {
    const list = this.#ascending.get(wallet) ?? { rows: floats(), nextTx: 0 }
    this.#ascending.delete(wallet)
    this.#ascending.set(wallet, list)
    if (this.#ascending.size > maxCached) this.#ascending.delete(this.#ascending.keys().next().value as number)
    const { length } = this.#ledger.facts
    for (const row of [...this.newestFirst(wallet, [list.nextTx, length], allKinds)].reverse()) list.rows.push(row)
    list.nextTx = length
    return list.rows
  }
}
