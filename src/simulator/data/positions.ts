import { averagePrice, type Holding, isResolved, lastEventAt } from "./Holdings.ts"
import type { Params } from "./Params.ts"
import { type OffsetLimits, offsetPageIn } from "./page.ts"
import { closedPositionRow, marketPositionRow, positionRow, totalGain, unrealized, worthOf } from "./positionRows.ts"
import { invalid } from "./refusal.ts"
import { byMarket, marketsIn, namedMarkets, requiredWallet, walletIn } from "./selection.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { usual: 100, most: 500, furthest: 10_000, rows: "positions" }
const closedLimits: OffsetLimits = { usual: 10, most: 50, furthest: 100_000, rows: "closed positions" }
const marketLimits: OffsetLimits = { usual: 50, most: 500, furthest: 10_000, rows: "market positions" }

const longestTitle = 100

type Key = (holding: Holding) => number | string

/** In order of a key, the older position first where it is the same. */
export const ordered = (holdings: ReadonlyArray<Holding>, key: Key, isRising: boolean): ReadonlyArray<Holding> => {
  const sign = isRising ? 1 : -1
  return holdings
    .map((holding) => ({ holding, rank: key(holding) }))
    .sort((a, b) => {
      if (a.rank === b.rank) return a.holding.position - b.holding.position
      return a.rank < b.rank ? -sign : sign
    })
    .map(({ holding }) => holding)
}

const isRising = (params: Params) => params.choice("sort_direction", ["ASC", "DESC"]) === "ASC"

const titleTest = (params: Params): ((holding: Holding) => boolean) => {
  const title = params.text("title")?.toLowerCase()
  if (title === undefined) return () => true
  if (title.length > longestTitle) throw invalid(`title must not exceed ${longestTitle} characters`, "title")
  return ({ token }) => token.market.plan.question.toLowerCase().includes(title)
}

/** The positions of the wallet asked about, in the markets asked about; held still or no more. */
const holdingsIn = ({ ledger, holdings }: Sources, params: Params, held: boolean): ReadonlyArray<Holding> => {
  const wallet = requiredWallet(ledger, params)
  const markets = marketsIn(ledger, params, byMarket)
  const isTitled = titleTest(params)
  const { books } = ledger
  const out: Array<Holding> = []
  for (const position of holdings.ofWallet(wallet)) {
    if (books.shares.get(position) > 0 !== held || !holdings.isListed(position)) continue
    if (markets?.has(ledger.token(books.tokenOf.get(position)).market.index) === false) continue
    const holding = holdings.of(position)
    if (isTitled(holding)) out.push(holding)
  }
  return out
}

const byTitle: Key = ({ token }) => token.market.plan.question
const byPrice: Key = ({ price }) => price
const byRealized: Key = ({ realized }) => realized
const byShares: Key = ({ shares }) => shares

const openKeys: Readonly<Record<string, Key>> = {
  TOKENS: byShares,
  CURRENT: worthOf,
  INITIAL: ({ cost }) => cost,
  CASHPNL: unrealized,
  PERCENTPNL: (holding) => (holding.cost === 0 ? 0 : unrealized(holding) / holding.cost),
  TITLE: byTitle,
  RESOLVING: ({ token }) => token.market.plan.endsAt,
  PRICE: byPrice,
  AVGPRICE: ({ cost, shares }) => cost / shares,
}

const keyIn = (params: Params, keys: Readonly<Record<string, Key>>, usual: string): Key =>
  keys[params.choice("sort_by", Object.keys(keys)) ?? usual] as Key

export const positions = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { offset, limit } = offsetPageIn(params, limits)
  const least = (params.number("size_threshold") ?? 1) * 1_000_000
  const redeemable = params.flag("redeemable")
  const mergeable = params.flag("mergeable")
  const key = keyIn(params, openKeys, "TOKENS")
  const listed = holdingsIn(sources, params, true).filter(
    (holding) =>
      holding.shares >= least &&
      (redeemable === undefined || isResolved(holding) === redeemable) &&
      (mergeable === undefined || sources.holdings.holdsBoth(holding.wallet, holding.token.market) === mergeable),
  )
  return ordered(listed, key, isRising(params))
    .slice(offset, offset + limit)
    .map((holding) => positionRow(sources, holding))
}

export const closedPositions = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { offset, limit } = offsetPageIn(params, closedLimits)
  const listed = holdingsIn(sources, params, false)
  const { entryOf } = sources.histories.ofWallet(requiredWallet(sources.ledger, params))
  const keys: Readonly<Record<string, Key>> = {
    REALIZEDPNL: byRealized,
    TITLE: byTitle,
    PRICE: byPrice,
    AVGPRICE: (holding) => averagePrice(holding, entryOf),
    TIMESTAMP: (holding) => lastEventAt(sources.ledger, holding, entryOf),
  }
  return ordered(listed, keyIn(params, keys, "REALIZEDPNL"), isRising(params))
    .slice(offset, offset + limit)
    .map((holding) => closedPositionRow(sources, holding, entryOf))
}

const marketKeys: Readonly<Record<string, Key>> = {
  TOTAL_PNL: totalGain,
  TOKENS: byShares,
  CASH_PNL: unrealized,
  REALIZED_PNL: byRealized,
}

/** Everybody's positions in a market, each outcome apart. */
export const marketPositions = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { ledger, holdings, histories } = sources
  const { offset, limit } = offsetPageIn(params, marketLimits)
  params.required("market")
  const status = params.choice("status", ["OPEN", "CLOSED", "ALL"]) ?? "ALL"
  const key = keyIn(params, marketKeys, "TOTAL_PNL")
  const user = walletIn(ledger, params)
  return namedMarkets(ledger, params, "market", 1).flatMap((index) => {
    const entryOf = histories.ofMarket(ledger.market(index))
    return ledger.market(index).tokens.map((token) => {
      const listed = [...ledger.books.holdersOf(token)]
        .filter((position) => holdings.isReal(position))
        .map((position) => holdings.of(position))
        .filter(({ wallet, shares }) => {
          return (user ?? wallet) === wallet && (status === "ALL" || shares > 0 === (status === "OPEN"))
        })
      const page = ordered(listed, key, isRising(params)).slice(offset, offset + limit)
      return {
        token: ledger.token(token).id,
        positions: page.map((holding) => marketPositionRow(sources, holding, entryOf)),
      }
    })
  })
}
