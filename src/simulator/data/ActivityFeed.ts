import { floats } from "../world/columns.ts"
import type { Facts } from "../world/Facts.ts"
import { type Activity, type ActivityType, typeOf } from "./activityRows.ts"
import { filledBy, rowsWithin } from "./fills.ts"
import type { ActRange, Ledger } from "./Ledger.ts"

/** A row as one number that rises with time: its act and its place within it. */
const places = 512
const rowOf = (act: number, place: number) => act * places + place
export const actOf = (row: number): number => Math.floor(row / places)

/** The row by itself: which order was filled, which outcome redeemed. */
export const activityOf = (ledger: Ledger, row: number): Activity => {
  const act = actOf(row)
  const place = row % places
  const type = typeOf(ledger, act) as ActivityType
  return {
    act,
    type,
    fill: type === "TRADE" ? ledger.facts.firstFill.get(act) + place : -1,
    outcome: type === "REDEEM" ? (place === 0 ? 0 : 1) : undefined,
  }
}

function* tradeRows(facts: Facts, wallet: number, [from, to]: ActRange): Iterable<number> {
  const [first, end] = [from, to].map((act) => (act < facts.length ? facts.firstFill.get(act) : facts.fills))
  for (const fill of filledBy(facts, wallet, first as number, end as number)) {
    const act = facts.actOf(fill)
    yield rowOf(act, fill - facts.firstFill.get(act))
  }
}

/** All else that a wallet did; redemptions once for each outcome. */
function* otherRows(ledger: Ledger, wallet: number, [from, to]: ActRange): Iterable<number> {
  const { facts } = ledger
  const isOwn = (act: number) => act < facts.length && facts.wallet.get(act) === wallet
  for (const act of rowsWithin(facts.byWallet, wallet, from, to, isOwn)) {
    const type = typeOf(ledger, act)
    if (type === undefined || type === "TRADE") continue
    if (type !== "REDEEM") yield rowOf(act, 0)
    else {
      if (facts.second.get(act) > 0) yield rowOf(act, 1)
      if (facts.amount.get(act) > 0) yield rowOf(act, 0)
    }
  }
}

/** Two falling sequences as one. */
function* merged(a: Iterable<number>, b: Iterable<number>): Iterable<number> {
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

/** What the rows may be; knowing it saves looking at all the others. */
export interface RowKinds {
  readonly trades: boolean
  readonly others: boolean
}

const everything: RowKinds = { trades: true, others: true }

const mostKept = 20

/** The activity of wallets in either direction. */
export class ActivityFeed {
  readonly #ledger: Ledger
  /** Everything a wallet did, oldest first, of those who were asked about last. */
  readonly #rising = new Map<number, { readonly rows: ReturnType<typeof floats>; nextAct: number }>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  newestFirst(wallet: number, acts: ActRange, { trades, others }: RowKinds): Iterable<number> {
    if (!others) return tradeRows(this.#ledger.facts, wallet, acts)
    const rest = otherRows(this.#ledger, wallet, acts)
    return trades ? merged(tradeRows(this.#ledger.facts, wallet, acts), rest) : rest
  }

  /** Threads only lead back in time, so this needs a list. */
  *oldestFirst(wallet: number, [from, to]: ActRange, after: number): Iterable<number> {
    const rows = this.#listOf(wallet)
    for (let i = rows.lowerBound(Math.max(rowOf(from, 0), after + 1)); i < rows.length; i++) {
      if (actOf(rows.get(i)) >= to) return
      yield rows.get(i)
    }
  }

  #listOf(wallet: number) {
    const list = this.#rising.get(wallet) ?? { rows: floats(), nextAct: 0 }
    this.#rising.delete(wallet)
    this.#rising.set(wallet, list)
    if (this.#rising.size > mostKept) this.#rising.delete(this.#rising.keys().next().value as number)
    const { length } = this.#ledger.facts
    for (const row of [...this.newestFirst(wallet, [list.nextAct, length], everything)].reverse()) list.rows.push(row)
    list.nextAct = length
    return list.rows
  }
}
