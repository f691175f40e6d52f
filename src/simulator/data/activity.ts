import { activityOf, actOf } from "./ActivityFeed.ts"
import {
  type Activity,
  type ActivityType,
  activityRow,
  activityRow2,
  activityTypes,
  amountsOf,
} from "./activityRows.ts"
import type { ActRange, Ledger } from "./Ledger.ts"
import type { Params } from "./Params.ts"
import { type Answer, feedCursorIn, limitIn, type OffsetLimits, offsetPageIn, pageAnswer, taken } from "./page.ts"
import { sideName } from "./rows.ts"
import { byCondition, byMarket, type MarketSelector, marketsIn, requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { usual: 100, most: 500, furthest: 5_000, rows: "activity" }

/** Sorted by size, only so many of the newest are looked at. */
const mostSorted = 50_000

interface Wanted {
  readonly wallet: number
  readonly acts: ActRange
  readonly types: ReadonlySet<ActivityType>
  readonly test: (activity: Activity) => boolean
}

const typesIn = (params: Params): ReadonlySet<ActivityType> => {
  const named = params.choices("type", activityTypes)
  // Who names them wants them, whatever is left out by default.
  const excluded = params.flag("exclude_deposits_withdrawals") ?? named.length === 0
  const types = new Set<ActivityType>(named.length === 0 ? activityTypes : named)
  if (excluded) for (const type of ["DEPOSIT", "WITHDRAWAL"] as const) types.delete(type)
  return types
}

const wantedIn = (ledger: Ledger, params: Params, selector: MarketSelector): Wanted => {
  const { facts } = ledger
  const types = typesIn(params)
  const markets = marketsIn(ledger, params, selector)
  const side = params.choice("side", ["BUY", "SELL"])
  return {
    wallet: requiredWallet(ledger, params),
    acts: ledger.actsWithin(params.whole("start"), params.whole("end")),
    types,
    test: ({ act, type, fill }) =>
      types.has(type) &&
      (markets?.has(facts.market.get(act)) ?? true) &&
      (side === undefined || (fill >= 0 && sideName(facts.side.get(fill)) === side)),
  }
}

function* tested(ledger: Ledger, rows: Iterable<number>, test: (activity: Activity) => boolean): Iterable<number> {
  for (const row of rows) if (test(activityOf(ledger, row))) yield row
}

const newestFirst = ({ feed, ledger }: Sources, { wallet, acts, types, test }: Wanted, before?: number) => {
  const within: ActRange = [acts[0], before === undefined ? acts[1] : Math.min(acts[1], actOf(before) + 1)]
  const others = [...types].some((type) => type !== "TRADE")
  const rows = feed.newestFirst(wallet, within, { trades: types.has("TRADE"), others })
  return tested(ledger, before === undefined ? rows : below(rows, before), test)
}

function* below(rows: Iterable<number>, before: number): Iterable<number> {
  for (const row of rows) if (row < before) yield row
}

const oldestFirst = ({ feed, ledger }: Sources, { wallet, acts, test }: Wanted, after = -1) =>
  tested(ledger, feed.oldestFirst(wallet, acts, after), test)

const isRising = (params: Params) => params.choice("sort_direction", ["ASC", "DESC"]) === "ASC"

const sortedRows = (sources: Sources, params: Params, wanted: Wanted): Iterable<number> => {
  const { ledger } = sources
  const sortBy = params.choice("sort_by", ["TIMESTAMP", "TOKENS", "CASH"]) ?? "TIMESTAMP"
  if (sortBy === "TIMESTAMP") return isRising(params) ? oldestFirst(sources, wanted) : newestFirst(sources, wanted)
  const unit = sortBy === "CASH" ? "cash" : "shares"
  const sign = isRising(params) ? 1 : -1
  return taken(newestFirst(sources, wanted), { offset: 0, limit: mostSorted })
    .map((row) => ({ row, amount: amountsOf(ledger, whole(activityOf(ledger, row)))[unit] }))
    .sort((a, b) => sign * (a.amount - b.amount) || b.row - a.row)
    .map(({ row }) => row)
}

/** The first generation shows a redemption as one row. */
const whole = (activity: Activity): Activity => ({ ...activity, outcome: undefined })

const isRepeated = ({ facts }: Ledger, { type, act, outcome }: Activity) =>
  type === "REDEEM" && outcome === 1 && facts.amount.get(act) > 0

export const activity = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { ledger } = sources
  const page = offsetPageIn(params, limits)
  const wanted = wantedIn(ledger, params, byMarket)
  const test = (each: Activity) => wanted.test(each) && !isRepeated(ledger, each)
  const rows = sortedRows(sources, params, { ...wanted, test })
  return taken(rows, page).map((row) => activityRow(ledger, whole(activityOf(ledger, row))))
}

export const activity2 = (sources: Sources, params: Params): Answer => {
  const { ledger } = sources
  const { limit } = limitIn(params)
  params.choice("sort_by", ["TIMESTAMP"])
  const wanted = wantedIn(ledger, params, byCondition)
  const rows = (isRising(params) ? oldestFirst : newestFirst)(sources, wanted, feedCursorIn(params))
  const show = (row: number) => activityRow2(ledger, activityOf(ledger, row))
  return pageAnswer(taken(rows, { offset: 0, limit: limit + 1 }), limit, show, (row) => row)
}
