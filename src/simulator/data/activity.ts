import { activityOf, txOfRow } from "./ActivityFeed.ts"
import {
  type Activity,
  type ActivityType,
  activityRow,
  activityRowV2,
  activityTypes,
  amountsOf,
} from "./activityRows.ts"
import type { Ledger, TxRange } from "./Ledger.ts"
import type { Params } from "./Params.ts"
import {
  cursorPageIn,
  type OffsetLimits,
  offsetPageIn,
  pageResponse,
  rowCursorIn,
  takePage,
  type V2Response,
} from "./pagination.ts"
import { sideName } from "./rows.ts"
import { byCondition, byMarket, type MarketSelector, marketsIn, requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { defaultLimit: 100, maxLimit: 500, maxOffset: 5_000, rows: "activity" }

/** Sorting by size considers only this many of the newest rows. */
const maxSorted = 50_000

interface ActivityQuery {
  readonly wallet: number
  readonly txs: TxRange
  readonly types: ReadonlySet<ActivityType>
  readonly test: (activity: Activity) => boolean
}

const typesIn = (params: Params): ReadonlySet<ActivityType> => {
  const named = params.choices("type", activityTypes)
  // Explicitly named types are not excluded by default.
  const excluded = params.flag("exclude_deposits_withdrawals") ?? named.length === 0
  const types = new Set<ActivityType>(named.length === 0 ? activityTypes : named)
  if (excluded) for (const type of ["DEPOSIT", "WITHDRAWAL"] as const) types.delete(type)
  return types
}

const activityQueryIn = (ledger: Ledger, params: Params, selector: MarketSelector): ActivityQuery => {
  const { facts } = ledger
  const types = typesIn(params)
  const markets = marketsIn(ledger, params, selector)
  const side = params.choice("side", ["BUY", "SELL"])
  return {
    wallet: requiredWallet(ledger, params),
    txs: ledger.txsWithin(params.integer("start"), params.integer("end")),
    types,
    test: ({ tx, type, fill }) =>
      types.has(type) &&
      (markets?.has(facts.market.get(tx)) ?? true) &&
      (side === undefined || (fill >= 0 && sideName(facts.side.get(fill)) === side)),
  }
}

function* filtered(ledger: Ledger, rows: Iterable<number>, test: (activity: Activity) => boolean): Iterable<number> {
  for (const row of rows) if (test(activityOf(ledger, row))) yield row
}

const newestFirst = ({ feed, ledger }: Sources, { wallet, txs, types, test }: ActivityQuery, before?: number) => {
  const within: TxRange = [txs[0], before === undefined ? txs[1] : Math.min(txs[1], txOfRow(before) + 1)]
  const others = [...types].some((type) => type !== "TRADE")
  const rows = feed.newestFirst(wallet, within, { trades: types.has("TRADE"), others })
  return filtered(ledger, before === undefined ? rows : below(rows, before), test)
}

function* below(rows: Iterable<number>, before: number): Iterable<number> {
  for (const row of rows) if (row < before) yield row
}

const oldestFirst = ({ feed, ledger }: Sources, { wallet, txs, test }: ActivityQuery, after = -1) =>
  filtered(ledger, feed.oldestFirst(wallet, txs, after), test)

const isAscending = (params: Params) => params.choice("sort_direction", ["ASC", "DESC"]) === "ASC"

const sortedRows = (sources: Sources, params: Params, query: ActivityQuery): Iterable<number> => {
  const { ledger } = sources
  const sortBy = params.choice("sort_by", ["TIMESTAMP", "TOKENS", "CASH"]) ?? "TIMESTAMP"
  if (sortBy === "TIMESTAMP") return isAscending(params) ? oldestFirst(sources, query) : newestFirst(sources, query)
  const unit = sortBy === "CASH" ? "cash" : "shares"
  const sign = isAscending(params) ? 1 : -1
  return takePage(newestFirst(sources, query), { offset: 0, limit: maxSorted })
    .map((row) => ({ row, amount: amountsOf(ledger, wholeRedemption(activityOf(ledger, row)))[unit] }))
    .sort((a, b) => sign * (a.amount - b.amount) || b.row - a.row)
    .map(({ row }) => row)
}

/** v1 reports a redemption as one row. */
const wholeRedemption = (activity: Activity): Activity => ({ ...activity, outcome: undefined })

const isSecondRedemptionRow = ({ facts }: Ledger, { type, tx, outcome }: Activity) =>
  type === "REDEEM" && outcome === 1 && facts.amount.get(tx) > 0

export const activity = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { ledger } = sources
  const page = offsetPageIn(params, limits)
  const query = activityQueryIn(ledger, params, byMarket)
  const test = (each: Activity) => query.test(each) && !isSecondRedemptionRow(ledger, each)
  const rows = sortedRows(sources, params, { ...query, test })
  return takePage(rows, page).map((row) => activityRow(ledger, wholeRedemption(activityOf(ledger, row))))
}

export const activityV2 = (sources: Sources, params: Params): V2Response => {
  const { ledger } = sources
  const { limit } = cursorPageIn(params)
  params.choice("sort_by", ["TIMESTAMP"])
  const query = activityQueryIn(ledger, params, byCondition)
  const rows = (isAscending(params) ? oldestFirst : newestFirst)(sources, query, rowCursorIn(params))
  const show = (row: number) => activityRowV2(ledger, activityOf(ledger, row))
  return pageResponse(takePage(rows, { offset: 0, limit: limit + 1 }), limit, show, (row) => row)
}
