import { queryFills } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"
import { invalid, type Params } from "./Params.ts"
import {
  cursorPageIn,
  type OffsetLimits,
  offsetPageIn,
  pageResponse,
  rowCursorIn,
  takePage,
  type V2Response,
} from "./pagination.ts"
import { sideName, toV2Row, tradeRow } from "./rows.ts"
import { byCondition, byMarket, type MarketSelector, marketsIn, walletIn } from "./selection.ts"

const limits: OffsetLimits = { defaultLimit: 100, maxLimit: 10_000, maxOffset: 10_000, rows: "trades" }

type Test = (fill: number) => boolean

/** A minimum size in USD or in shares. */
const sizeTest = ({ facts }: Ledger, params: Params, defaultAmount: number): Test => {
  const type = params.choice("filter_type", ["CASH", "TOKENS"])
  const amount = params.number("filter_amount")
  if ((type === undefined) !== (amount === undefined)) {
    throw invalid("filter_type and filter_amount must be given together", "filter_amount")
  }
  if (amount !== undefined && amount < 0) throw invalid("filter_amount must not be negative", "filter_amount")
  const minimum = (amount ?? defaultAmount) * 1_000_000
  const column = type === "CASH" ? facts.usd : facts.shares
  return (fill) => column.get(fill) >= minimum
}

interface Version {
  readonly selector: MarketSelector
  /** Fills below this many shares are omitted by default. */
  readonly dust: number
}

const v1: Version = { selector: byMarket, dust: 0 }
const v2: Version = { selector: byCondition, dust: 0.01 }

const fillsIn = (ledger: Ledger, params: Params, { selector, dust }: Version, before?: number): Iterable<number> => {
  const side = params.choice("side", ["BUY", "SELL"])
  const isLarge = sizeTest(ledger, params, dust)
  return queryFills(ledger, {
    wallet: walletIn(ledger, params),
    markets: marketsIn(ledger, params, selector),
    takerOnly: params.flag("taker_only") ?? true,
    txs: ledger.txsWithin(params.integer("start"), params.integer("end")),
    before,
    test: (fill) => isLarge(fill) && (side === undefined || sideName(ledger.facts.side.get(fill)) === side),
  })
}

export const trades = (ledger: Ledger, params: Params): ReadonlyArray<object> => {
  const page = offsetPageIn(params, limits)
  return takePage(fillsIn(ledger, params, v1), page).map((fill) => tradeRow(ledger, fill))
}

export const tradesV2 = (ledger: Ledger, params: Params): V2Response => {
  const { limit } = cursorPageIn(params)
  if (params.text("user") === undefined) {
    for (const name of ["start", "end"]) {
      if (params.text(name) !== undefined) throw invalid(`${name} needs user`, name)
    }
  }
  const fills = fillsIn(ledger, params, v2, rowCursorIn(params))
  const show = (fill: number) => toV2Row(tradeRow(ledger, fill))
  return pageResponse(takePage(fills, { offset: 0, limit: limit + 1 }), limit, show, (fill) => fill)
}
