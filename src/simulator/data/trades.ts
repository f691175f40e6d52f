import { fillsOf } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"
import type { Params } from "./Params.ts"
import { type Answer, feedCursorIn, limitIn, type OffsetLimits, offsetPageIn, pageAnswer, taken } from "./page.ts"
import { invalid } from "./refusal.ts"
import { secondGeneration, sideName, tradeRow } from "./rows.ts"
import { byCondition, byMarket, type MarketSelector, marketsIn, walletIn } from "./selection.ts"

const limits: OffsetLimits = { usual: 100, most: 10_000, furthest: 10_000, rows: "trades" }

type Test = (fill: number) => boolean

/** At least so much money or so many shares. */
const sizeTest = ({ facts }: Ledger, params: Params, usual: number): Test => {
  const type = params.choice("filter_type", ["CASH", "TOKENS"])
  const amount = params.number("filter_amount")
  if ((type === undefined) !== (amount === undefined)) {
    throw invalid("filter_type and filter_amount must be given together", "filter_amount")
  }
  if (amount !== undefined && amount < 0) throw invalid("filter_amount must not be negative", "filter_amount")
  const least = (amount ?? usual) * 1_000_000
  const column = type === "CASH" ? facts.usd : facts.shares
  return (fill) => column.get(fill) >= least
}

interface Generation {
  readonly selector: MarketSelector
  /** Shares below which a fill is left out unless the request says otherwise. */
  readonly dust: number
}

const first: Generation = { selector: byMarket, dust: 0 }
const second: Generation = { selector: byCondition, dust: 0.01 }

const fillsIn = (ledger: Ledger, params: Params, { selector, dust }: Generation, before?: number): Iterable<number> => {
  const side = params.choice("side", ["BUY", "SELL"])
  const isLarge = sizeTest(ledger, params, dust)
  return fillsOf(ledger, {
    wallet: walletIn(ledger, params),
    markets: marketsIn(ledger, params, selector),
    takerOnly: params.flag("taker_only") ?? true,
    acts: ledger.actsWithin(params.whole("start"), params.whole("end")),
    before,
    test: (fill) => isLarge(fill) && (side === undefined || sideName(ledger.facts.side.get(fill)) === side),
  })
}

export const trades = (ledger: Ledger, params: Params): ReadonlyArray<object> => {
  const page = offsetPageIn(params, limits)
  return taken(fillsIn(ledger, params, first), page).map((fill) => tradeRow(ledger, fill))
}

export const trades2 = (ledger: Ledger, params: Params): Answer => {
  const { limit } = limitIn(params)
  if (params.text("user") === undefined) {
    for (const name of ["start", "end"]) {
      if (params.text(name) !== undefined) throw invalid(`${name} needs user`, name)
    }
  }
  const fills = fillsIn(ledger, params, second, feedCursorIn(params))
  const show = (fill: number) => secondGeneration(tradeRow(ledger, fill))
  return pageAnswer(taken(fills, { offset: 0, limit: limit + 1 }), limit, show, (fill) => fill)
}
