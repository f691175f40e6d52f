import { Act, exchange, type Facts } from "../world/Facts.ts"
import type { Threads } from "../world/Threads.ts"
import type { ActRange, Ledger } from "./Ledger.ts"

/** The rows of a thread from `from` to before `before`, newest first. */
export function* rowsWithin(
  threads: Threads,
  key: number,
  from: number,
  before: number,
  /** Where the row before which to begin is one of the thread, it leads straight to the next. */
  isOfThread: (row: number) => boolean,
): Iterable<number> {
  let row = isOfThread(before) ? threads.previous(before) : threads.newest(key)
  while (row >= before) row = threads.previous(row)
  for (; row >= from && row >= 0; row = threads.previous(row)) yield row
}

/** The acts of some markets, newest first. */
function* actsOfMarkets({ byMarket }: Facts, markets: Iterable<number>, [from, to]: ActRange): Iterable<number> {
  const heads: Array<number> = []
  for (const market of markets) {
    let act = byMarket.newest(market)
    while (act >= to) act = byMarket.previous(act)
    if (act >= 0) heads.push(act)
  }
  while (heads.length > 0) {
    let newest = 0
    for (let i = 1; i < heads.length; i++) if ((heads[i] as number) > (heads[newest] as number)) newest = i
    const act = heads[newest] as number
    if (act < from) return
    yield act
    const next = byMarket.previous(act)
    if (next >= 0) heads[newest] = next
    else heads.splice(newest, 1)
  }
}

export const takersFill = ({ firstFill, fillCount }: Facts, act: number): number =>
  firstFill.get(act) + fillCount.get(act) - 1

export interface FillSearch {
  readonly wallet: number | undefined
  readonly markets: ReadonlySet<number> | undefined
  /** Only the takers' own fills: one of each match. */
  readonly takerOnly: boolean
  readonly acts: ActRange
  /** Only fills below this one. */
  readonly before: number | undefined
  readonly test: (fill: number) => boolean
}

const firstFillFrom = (facts: Facts, act: number) => (act < facts.length ? facts.firstFill.get(act) : facts.fills)

/** Filled orders, newest first. */
export function* fillsOf(ledger: Ledger, search: FillSearch): Iterable<number> {
  const { facts } = ledger
  const { wallet, markets, takerOnly, acts, test } = search
  const from = firstFillFrom(facts, acts[0])
  const before = Math.min(search.before ?? facts.fills, firstFillFrom(facts, acts[1]))
  if (before <= from) return
  const within: ActRange = [acts[0], facts.actOf(before - 1) + 1]
  if (wallet !== undefined) {
    const own = takerOnly ? takenBy(facts, wallet, within) : filledBy(facts, wallet, from, before)
    const isWanted = (fill: number) => markets?.has(ledger.token(facts.fillToken.get(fill)).market.index) ?? true
    for (const fill of own) if (fill < before && isWanted(fill) && test(fill)) yield fill
  } else if (markets !== undefined) {
    for (const act of actsOfMarkets(facts, markets, within)) {
      if (facts.kind.get(act) !== Act.match) continue
      const last = takersFill(facts, act)
      const first = takerOnly ? last : facts.firstFill.get(act)
      for (let fill = Math.min(last, before - 1); fill >= first; fill--) if (test(fill)) yield fill
    }
  } else {
    for (let fill = before - 1; fill >= from; fill--) {
      if ((!takerOnly || facts.taker.get(fill) === exchange) && test(fill)) yield fill
    }
  }
}

function* takenBy(facts: Facts, wallet: number, [from, to]: ActRange): Iterable<number> {
  const isOwn = (act: number) => act < facts.length && facts.wallet.get(act) === wallet
  for (const act of rowsWithin(facts.byWallet, wallet, from, to, isOwn)) {
    if (facts.kind.get(act) === Act.match) yield takersFill(facts, act)
  }
}

/** Every order of a wallet that was filled, as maker or as taker. */
export const filledBy = (facts: Facts, wallet: number, from: number, before: number): Iterable<number> =>
  rowsWithin(facts.fillsByMaker, wallet, from, before, (fill) => fill < facts.fills && facts.maker.get(fill) === wallet)
