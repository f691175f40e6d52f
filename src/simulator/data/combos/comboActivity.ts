import { usd } from "../../gamma/View.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { activityOf, actOf } from "../ActivityFeed.ts"
import { type ActivityType, amountsOf } from "../activityRows.ts"
import type { Ledger } from "../Ledger.ts"
import type { Params } from "../Params.ts"
import {
  type Answer,
  feedCursorIn,
  firstLimits,
  type Limits,
  limitIn,
  pageAnswer,
  secondLimits,
  taken,
} from "../page.ts"
import { requiredWallet } from "../selection.ts"
import type { Sources } from "../sources.ts"
import { legsJson } from "./legs.ts"
import { combosIn } from "./selection.ts"

/** Trades of combos are among all others. */
const types: ReadonlySet<ActivityType> = new Set<ActivityType>(["SPLIT", "MERGE", "REDEEM"])

const rowJson = (ledger: Ledger, row: number) => {
  const activity = activityOf(ledger, row)
  const { act, type, outcome } = activity
  const { facts, sim } = ledger
  const market = ledger.market(facts.market.get(act))
  const hash = sim.chain.transactionHash(act)
  const cash = usd(amountsOf(ledger, activity).cash)
  return {
    id: `${hash}-${outcome ?? 0}`,
    type,
    proxy_wallet: ledger.wallet(facts.wallet.get(act)).address,
    combo_condition_id: market.conditionId,
    combo_position_id: ledger.token(market.tokens[outcome ?? 0]).id,
    amount_usdc: type === "REDEEM" ? null : cash,
    payout_usdc: type === "REDEEM" ? cash : null,
    timestamp: ledger.timeOf(act),
    transaction_hash: hash,
    block_number: facts.block.get(act) + firstBlock,
    legs: legsJson(ledger, market),
  }
}

function* rowsIn({ ledger, feed }: Sources, params: Params, name: "condition" | "market_id"): Iterable<number> {
  const combos = combosIn(ledger, params, name)
  const before = feedCursorIn(params)
  const end = before === undefined ? ledger.end : Math.min(ledger.end, actOf(before) + 1)
  for (const row of feed.newestFirst(requiredWallet(ledger, params), [0, end], { trades: false, others: true })) {
    if (before !== undefined && row >= before) continue
    const { act, type } = activityOf(ledger, row)
    if (!types.has(type)) continue
    const market = ledger.market(ledger.facts.market.get(act))
    if (market.legs !== undefined && (combos?.has(market) ?? true)) yield row
  }
}

/** What somebody did with combos other than trading them, newest first. */
const pageOf = (sources: Sources, params: Params, name: "condition" | "market_id", limits: Limits): Answer => {
  const { limit, offset } = limitIn(params, limits)
  const rows = taken(rowsIn(sources, params, name), { offset, limit: limit + 1 })
  return pageAnswer(
    rows,
    limit,
    (row) => rowJson(sources.ledger, row),
    (row) => row,
  )
}

export const comboActivity = (sources: Sources, params: Params): object => {
  const { data, pagination } = pageOf(sources, params, "market_id", firstLimits.comboActivity)
  return { activity: data, pagination }
}

export const comboActivity2 = (sources: Sources, params: Params): Answer =>
  pageOf(sources, params, "condition", secondLimits)
