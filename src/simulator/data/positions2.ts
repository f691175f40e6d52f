import { type EntryOf, noEntry } from "./History.ts"
import { type Holding, lastEventAt } from "./Holdings.ts"
import type { Params } from "./Params.ts"
import type { Answer } from "./page.ts"
import { type Place, pinnedPage, pinnedQuery } from "./pinned.ts"
import { positionRow2, statusOf, totalGain, unrealized, worthOf } from "./positionRows.ts"
import { invalid } from "./refusal.ts"
import { byCondition, marketsIn, namedMarkets, walletIn } from "./selection.ts"
import type { Sources } from "./sources.ts"

/** Shares below which what is still held is not worth listing. */
const dust = 0.1

const statuses = ["OPEN", "REDEEMABLE", "REDEEMABLE_LOST", "MERGEABLE", "CLOSED"] as const
type WantedStatus = (typeof statuses)[number]

interface Candidates {
  readonly positions: Iterable<number>
  readonly entryOf: EntryOf
}

/** The positions of a wallet, or everybody's in one market. */
const candidatesIn = ({ ledger, holdings, histories }: Sources, params: Params): Candidates => {
  const wallet = walletIn(ledger, params)
  if (wallet !== undefined) {
    return { positions: holdings.ofWallet(wallet), entryOf: histories.ofWallet(wallet).entryOf }
  }
  if (params.list("condition").length !== 1) throw invalid("user or exactly one condition is required", "user")
  const [index] = namedMarkets(ledger, params, "condition", 1)
  if (index === undefined) return { positions: [], entryOf: () => noEntry }
  const market = ledger.market(index)
  return { positions: holdings.ofMarket(market), entryOf: histories.ofMarket(market) }
}

const statusTest =
  ({ holdings }: Sources, wanted: WantedStatus) =>
  (holding: Holding) => {
    const status = statusOf(holding)
    if (wanted === "OPEN") return status !== "CLOSED"
    if (wanted === "MERGEABLE") return holdings.holdsBoth(holding.wallet, holding.token.market)
    return status === wanted
  }

const sizeTest = (params: Params, wanted: WantedStatus) => {
  const isCash = params.choice("filter_type", ["CASH", "TOKENS"]) === "CASH"
  const least = params.number("filter_amount") ?? (wanted === "CLOSED" ? 0 : dust)
  return (holding: Holding) => (isCash ? worthOf(holding) : holding.shares / 1_000_000) >= least
}

const windowTest = ({ ledger }: Sources, params: Params, entryOf: EntryOf) => {
  // Zero stands for no bound.
  const start = params.whole("start") || undefined
  const end = params.whole("end") || undefined
  if (start === undefined && end === undefined) return () => true
  return (holding: Holding) => {
    const at = lastEventAt(ledger, holding, entryOf)
    return at !== 0 && at >= (start ?? 0) && at <= (end ?? at)
  }
}

const valueFor = ({ ledger }: Sources, params: Params, entryOf: EntryOf, usual: string) => {
  const values: Readonly<Record<string, (holding: Holding) => number>> = {
    CURRENT_VALUE: worthOf,
    TOKENS: ({ shares }) => shares,
    UNREALIZED_PNL: unrealized,
    REALIZED_PNL: ({ realized }) => realized,
    TOTAL_PNL: totalGain,
    TIMESTAMP: (holding) => lastEventAt(ledger, holding, entryOf),
  }
  return values[params.choice("sort_by", Object.keys(values)) ?? usual] as (holding: Holding) => number
}

export const positions2 = (sources: Sources, sent: Params): Answer => {
  const { ledger, holdings } = sources
  const query = pinnedQuery(sent)
  const { params } = query
  const { positions, entryOf } = candidatesIn(sources, params)
  const wanted = params.choice("status", statuses) ?? "OPEN"
  const markets = marketsIn(ledger, params, byCondition)
  params.flag("include_archived")
  const tests = [statusTest(sources, wanted), sizeTest(params, wanted), windowTest(sources, params, entryOf)]
  const sign = params.choice("sort_direction", ["ASC", "DESC"]) === "ASC" ? -1 : 1
  const value = valueFor(sources, params, entryOf, wanted === "CLOSED" ? "REALIZED_PNL" : "CURRENT_VALUE")

  const listed: Array<{ readonly holding: Holding; readonly place: Place }> = []
  for (const position of positions) {
    if (!holdings.isListed(position)) continue
    const holding = holdings.of(position)
    if (markets?.has(holding.token.market.index) === false) continue
    if (tests.every((test) => test(holding))) {
      listed.push({ holding, place: { value: sign * value(holding), id: position } })
    }
  }
  listed.sort((a, b) => b.place.value - a.place.value || a.place.id - b.place.id)
  return pinnedPage(
    query,
    listed,
    ({ place }) => place,
    ({ holding }) => positionRow2(sources, holding, entryOf),
  )
}
