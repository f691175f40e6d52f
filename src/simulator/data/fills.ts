import type { RowsByKey } from "../world/columns.ts"
import { exchangeAsTaker, type Facts, TxKind } from "../world/Facts.ts"
import type { Ledger, TxRange } from "./Ledger.ts"

/** The rows of a key from `from` to before `before`, newest first. */
export function* rowsWithin(
  rows: RowsByKey,
  key: number,
  from: number,
  before: number,
  /** Whether a row has the key. If `before` does, it links directly to the first result. */
  hasKey: (row: number) => boolean,
): Iterable<number> {
  let row = hasKey(before) ? rows.previous(before) : rows.newest(key)
  while (row >= before) row = rows.previous(row)
  for (; row >= from && row >= 0; row = rows.previous(row)) yield row
}

/** The transactions of some markets, newest first. */
function* txsOfMarkets({ byMarket }: Facts, markets: Iterable<number>, [from, to]: TxRange): Iterable<number> {
  const heads: Array<number> = []
  for (const market of markets) {
    let tx = byMarket.newest(market)
    while (tx >= to) tx = byMarket.previous(tx)
    if (tx >= 0) heads.push(tx)
  }
  while (heads.length > 0) {
    let newest = 0
    for (let i = 1; i < heads.length; i++) if ((heads[i] as number) > (heads[newest] as number)) newest = i
    const tx = heads[newest] as number
    if (tx < from) return
    yield tx
    const next = byMarket.previous(tx)
    if (next >= 0) heads[newest] = next
    else heads.splice(newest, 1)
  }
}

export const takerFill = ({ firstFill, fillCount }: Facts, tx: number): number =>
  firstFill.get(tx) + fillCount.get(tx) - 1

interface FillQuery {
  readonly wallet: number | undefined
  readonly markets: ReadonlySet<number> | undefined
  /** Only taker fills, one of each match. */
  readonly takerOnly: boolean
  readonly txs: TxRange
  /** Only fills below this one. */
  readonly before: number | undefined
  readonly test: (fill: number) => boolean
}

const firstFillFrom = (facts: Facts, tx: number) => (tx < facts.length ? facts.firstFill.get(tx) : facts.fills)

/** Matching fills, newest first. */
export function* queryFills(ledger: Ledger, query: FillQuery): Iterable<number> {
  const { facts } = ledger
  const { wallet, markets, takerOnly, txs, test } = query
  const from = firstFillFrom(facts, txs[0])
  const before = Math.min(query.before ?? facts.fills, firstFillFrom(facts, txs[1]))
  if (before <= from) return
  const within: TxRange = [txs[0], facts.txOf(before - 1) + 1]
  if (wallet !== undefined) {
    const own = takerOnly ? takerFillsOf(facts, wallet, within) : fillsByWallet(facts, wallet, from, before)
    const isInMarkets = (fill: number) => markets?.has(ledger.token(facts.fillToken.get(fill)).market.index) ?? true
    for (const fill of own) if (fill < before && isInMarkets(fill) && test(fill)) yield fill
  } else if (markets !== undefined) {
    for (const tx of txsOfMarkets(facts, markets, within)) {
      if (facts.kind.get(tx) !== TxKind.match) continue
      const last = takerFill(facts, tx)
      const first = takerOnly ? last : facts.firstFill.get(tx)
      for (let fill = Math.min(last, before - 1); fill >= first; fill--) if (test(fill)) yield fill
    }
  } else {
    for (let fill = before - 1; fill >= from; fill--) {
      if ((!takerOnly || facts.taker.get(fill) === exchangeAsTaker) && test(fill)) yield fill
    }
  }
}

function* takerFillsOf(facts: Facts, wallet: number, [from, to]: TxRange): Iterable<number> {
  const isOwn = (tx: number) => tx < facts.length && facts.wallet.get(tx) === wallet
  for (const tx of rowsWithin(facts.byWallet, wallet, from, to, isOwn)) {
    if (facts.kind.get(tx) === TxKind.match) yield takerFill(facts, tx)
  }
}

/** All fills of a wallet, as maker or taker. */
export const fillsByWallet = (facts: Facts, wallet: number, from: number, before: number): Iterable<number> =>
  rowsWithin(facts.fillsByMaker, wallet, from, before, (fill) => fill < facts.fills && facts.maker.get(fill) === wallet)
