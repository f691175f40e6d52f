import { averagePrice, type Holding, isResolved, lastEventAt } from "./Holdings.ts"
import { invalid, type Params } from "./Params.ts"
import { type OffsetLimits, offsetPageIn } from "./pagination.ts"
import {
  closedPositionRow,
  currentValueOf,
  marketPositionRow,
  positionRow,
  totalGain,
  unrealized,
} from "./positionRows.ts"
import { byMarket, marketsIn, namedMarkets, requiredWallet, walletIn } from "./selection.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { defaultLimit: 100, maxLimit: 500, maxOffset: 10_000, rows: "positions" }
const closedLimits: OffsetLimits = { defaultLimit: 10, maxLimit: 50, maxOffset: 100_000, rows: "closed positions" }
const marketLimits: OffsetLimits = { defaultLimit: 50, maxLimit: 500, maxOffset: 10_000, rows: "market positions" }

const maxTitleLength = 100

type HoldingKey = (holding: Holding) => number | string

/** Sorted by a key, ties by age. */
const sortHoldings = (
  holdings: ReadonlyArray<Holding>,
  key: HoldingKey,
  isAscending: boolean,
): ReadonlyArray<Holding> => {
  const sign = isAscending ? 1 : -1
  return holdings
    .map((holding) => ({ holding, rank: key(holding) }))
    .sort((a, b) => {
      if (a.rank === b.rank) return a.holding.position - b.holding.position
      return a.rank < b.rank ? -sign : sign
    })
    .map(({ holding }) => holding)
}

const isAscending = (params: Params) => params.choice("sort_direction", ["ASC", "DESC"]) === "ASC"

const titleTest = (params: Params): ((holding: Holding) => boolean) => {
  const title = params.text("title")?.toLowerCase()
  if (title === undefined) return () => true
  if (title.length > maxTitleLength) throw invalid(`title must not exceed ${maxTitleLength} characters`, "title")
  return ({ token }) => token.market.plan.question.toLowerCase().includes(title)
}

/** The open (`held`) or closed positions of the requested wallet and markets. */
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

const byTitle: HoldingKey = ({ token }) => token.market.plan.question
const byPrice: HoldingKey = ({ price }) => price
const byRealized: HoldingKey = ({ realized }) => realized
const byShares: HoldingKey = ({ shares }) => shares

const openKeys: Readonly<Record<string, HoldingKey>> = {
  TOKENS: byShares,
  CURRENT: currentValueOf,
  INITIAL: ({ cost }) => cost,
  CASHPNL: unrealized,
  PERCENTPNL: (holding) => (holding.cost === 0 ? 0 : unrealized(holding) / holding.cost),
  TITLE: byTitle,
  RESOLVING: ({ token }) => token.market.plan.endsAt,
  PRICE: byPrice,
  AVGPRICE: ({ cost, shares }) => cost / shares,
}

const keyIn = (params: Params, keys: Readonly<Record<string, HoldingKey>>, defaultKey: string): HoldingKey =>
  keys[params.choice("sort_by", Object.keys(keys)) ?? defaultKey] as HoldingKey

export const positions = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { offset, limit } = offsetPageIn(params, limits)
  const minShares = (params.number("size_threshold") ?? 1) * 1_000_000
  const redeemable = params.flag("redeemable")
  const mergeable = params.flag("mergeable")
  const key = keyIn(params, openKeys, "TOKENS")
  const listed = holdingsIn(sources, params, true).filter(
    (holding) =>
      holding.shares >= minShares &&
      (redeemable === undefined || isResolved(holding) === redeemable) &&
      (mergeable === undefined || sources.holdings.holdsBoth(holding.wallet, holding.token.market) === mergeable),
  )
  return sortHoldings(listed, key, isAscending(params))
    .slice(offset, offset + limit)
    .map((holding) => positionRow(sources, holding))
}

export const closedPositions = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { offset, limit } = offsetPageIn(params, closedLimits)
  const listed = holdingsIn(sources, params, false)
  const { historyOf } = sources.histories.ofWallet(requiredWallet(sources.ledger, params))
  const keys: Readonly<Record<string, HoldingKey>> = {
    REALIZEDPNL: byRealized,
    TITLE: byTitle,
    PRICE: byPrice,
    AVGPRICE: (holding) => averagePrice(holding, historyOf),
    TIMESTAMP: (holding) => lastEventAt(sources.ledger, holding, historyOf),
  }
  return sortHoldings(listed, keyIn(params, keys, "REALIZEDPNL"), isAscending(params))
    .slice(offset, offset + limit)
    .map((holding) => closedPositionRow(sources, holding, historyOf))
}

const marketKeys: Readonly<Record<string, HoldingKey>> = {
  TOTAL_PNL: totalGain,
  TOKENS: byShares,
  CASH_PNL: unrealized,
  REALIZED_PNL: byRealized,
}

/** All positions in a market, by outcome. */
export const marketPositions = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { ledger, holdings, histories } = sources
  const { offset, limit } = offsetPageIn(params, marketLimits)
  params.required("market")
  const status = params.choice("status", ["OPEN", "CLOSED", "ALL"]) ?? "ALL"
  const key = keyIn(params, marketKeys, "TOTAL_PNL")
  const user = walletIn(ledger, params)
  return namedMarkets(ledger, params, "market", 1).flatMap((index) => {
    const historyOf = histories.ofMarket(ledger.market(index))
    return ledger.market(index).tokens.map((token) => {
      const listed = [...ledger.books.holdersOf(token)]
        .filter((position) => holdings.isPosition(position))
        .map((position) => holdings.of(position))
        .filter(({ wallet, shares }) => {
          return (user ?? wallet) === wallet && (status === "ALL" || shares > 0 === (status === "OPEN"))
        })
      const page = sortHoldings(listed, key, isAscending(params)).slice(offset, offset + limit)
      return {
        token: ledger.token(token).id,
        positions: page.map((holding) => marketPositionRow(sources, holding, historyOf)),
      }
    })
  })
}
