import { noHistory, type PositionHistoryOf } from "./History.ts"
import { type Holding, lastEventAt } from "./Holdings.ts"
import { invalid, type Params } from "./Params.ts"
import { pinnedPage, pinnedQuery, type SortPosition, type V2Response } from "./pagination.ts"
import { currentValueOf, positionRowV2, statusOf, totalGain, unrealized } from "./positionRows.ts"
import { byCondition, marketsIn, namedMarkets, walletIn } from "./selection.ts"
import type { Sources } from "./sources.ts"

/** Held positions below this many shares are omitted. */
const dust = 0.1

const statuses = ["OPEN", "REDEEMABLE", "REDEEMABLE_LOST", "MERGEABLE", "CLOSED"] as const
type StatusFilter = (typeof statuses)[number]

interface Candidates {
  readonly positions: Iterable<number>
  readonly historyOf: PositionHistoryOf
}

/** The positions of a wallet, or all positions in one market. */
const candidatesIn = ({ ledger, holdings, histories }: Sources, params: Params): Candidates => {
  const wallet = walletIn(ledger, params)
  if (wallet !== undefined) {
    return { positions: holdings.ofWallet(wallet), historyOf: histories.ofWallet(wallet).historyOf }
  }
  if (params.list("condition").length !== 1) throw invalid("user or exactly one condition is required", "user")
  const [index] = namedMarkets(ledger, params, "condition", 1)
  if (index === undefined) return { positions: [], historyOf: () => noHistory }
  const market = ledger.market(index)
  return { positions: holdings.ofMarket(market), historyOf: histories.ofMarket(market) }
}

const statusTest =
  ({ holdings }: Sources, filter: StatusFilter) =>
  (holding: Holding) => {
    const status = statusOf(holding)
    if (filter === "OPEN") return status !== "CLOSED"
    if (filter === "MERGEABLE") return holdings.holdsBoth(holding.wallet, holding.token.market)
    return status === filter
  }

const sizeTest = (params: Params, filter: StatusFilter) => {
  const isCash = params.choice("filter_type", ["CASH", "TOKENS"]) === "CASH"
  const minimum = params.number("filter_amount") ?? (filter === "CLOSED" ? 0 : dust)
  return (holding: Holding) => (isCash ? currentValueOf(holding) : holding.shares / 1_000_000) >= minimum
}

const windowTest = ({ ledger }: Sources, params: Params, historyOf: PositionHistoryOf) => {
  // Zero means no bound.
  const start = params.integer("start") || undefined
  const end = params.integer("end") || undefined
  if (start === undefined && end === undefined) return () => true
  return (holding: Holding) => {
    const at = lastEventAt(ledger, holding, historyOf)
    return at !== 0 && at >= (start ?? 0) && at <= (end ?? at)
  }
}

const valueFor = ({ ledger }: Sources, params: Params, historyOf: PositionHistoryOf, defaultSort: string) => {
  const values: Readonly<Record<string, (holding: Holding) => number>> = {
    CURRENT_VALUE: currentValueOf,
    TOKENS: ({ shares }) => shares,
    UNREALIZED_PNL: unrealized,
    REALIZED_PNL: ({ realized }) => realized,
    TOTAL_PNL: totalGain,
    TIMESTAMP: (holding) => lastEventAt(ledger, holding, historyOf),
  }
  return values[params.choice("sort_by", Object.keys(values)) ?? defaultSort] as (holding: Holding) => number
}

export const positionsV2 = (sources: Sources, request: Params): V2Response => {
  const { ledger, holdings } = sources
  const query = pinnedQuery(request)
  const { params } = query
  const { positions, historyOf } = candidatesIn(sources, params)
  const filter = params.choice("status", statuses) ?? "OPEN"
  const markets = marketsIn(ledger, params, byCondition)
  params.flag("include_archived")
  const tests = [statusTest(sources, filter), sizeTest(params, filter), windowTest(sources, params, historyOf)]
  const sign = params.choice("sort_direction", ["ASC", "DESC"]) === "ASC" ? -1 : 1
  const value = valueFor(sources, params, historyOf, filter === "CLOSED" ? "REALIZED_PNL" : "CURRENT_VALUE")

  const listed: Array<{ readonly holding: Holding; readonly sortPosition: SortPosition }> = []
  for (const position of positions) {
    if (!holdings.isListed(position)) continue
    const holding = holdings.of(position)
    if (markets?.has(holding.token.market.index) === false) continue
    if (tests.every((test) => test(holding))) {
      listed.push({ holding, sortPosition: { value: sign * value(holding), id: position } })
    }
  }
  listed.sort((a, b) => b.sortPosition.value - a.sortPosition.value || a.sortPosition.id - b.sortPosition.id)
  return pinnedPage(
    query,
    listed,
    ({ sortPosition }) => sortPosition,
    ({ holding }) => positionRowV2(sources, holding, historyOf),
  )
}
