import { usd } from "../../gamma/GammaView.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { activityOf, txOfRow } from "../ActivityFeed.ts"
import { type ActivityType, amountsOf } from "../activityRows.ts"
import type { Ledger } from "../Ledger.ts"
import type { Params } from "../Params.ts"
import {
  type CursorLimits,
  cursorPageIn,
  pageResponse,
  rowCursorIn,
  takePage,
  type V2Response,
  v1Limits,
  v2Limits,
} from "../pagination.ts"
import { combosIn, requiredWallet } from "../selection.ts"
import type { Sources } from "../sources.ts"
import { legsJson } from "./comboRows.ts"

/** Combo trades are part of the general activity. */
const types: ReadonlySet<ActivityType> = new Set<ActivityType>(["SPLIT", "MERGE", "REDEEM"])

const rowJson = (ledger: Ledger, row: number) => {
  const activity = activityOf(ledger, row)
  const { tx, type, outcome } = activity
  const { facts, sim } = ledger
  const market = ledger.market(facts.market.get(tx))
  const hash = sim.chain.transactionHash(tx)
  const cash = usd(amountsOf(ledger, activity).cash)
  return {
    id: `${hash}-${outcome ?? 0}`,
    type,
    proxy_wallet: ledger.wallet(facts.wallet.get(tx)).address,
    combo_condition_id: market.conditionId,
    combo_position_id: ledger.token(market.tokens[outcome ?? 0]).id,
    amount_usdc: type === "REDEEM" ? null : cash,
    payout_usdc: type === "REDEEM" ? cash : null,
    timestamp: ledger.timeOf(tx),
    transaction_hash: hash,
    block_number: facts.block.get(tx) + firstBlock,
    legs: legsJson(ledger, market),
  }
}

function* rowsIn({ ledger, feed }: Sources, params: Params, name: "condition" | "market_id"): Iterable<number> {
  const combos = combosIn(ledger, params, name)
  const before = rowCursorIn(params)
  const end = before === undefined ? ledger.end : Math.min(ledger.end, txOfRow(before) + 1)
  for (const row of feed.newestFirst(requiredWallet(ledger, params), [0, end], { trades: false, others: true })) {
    if (before !== undefined && row >= before) continue
    const { tx, type } = activityOf(ledger, row)
    if (!types.has(type)) continue
    const market = ledger.market(ledger.facts.market.get(tx))
    if (market.isCombo && (combos?.has(market) ?? true)) yield row
  }
}

/** Combo activity of a user other than trades, newest first. */
const pageOf = (
  sources: Sources,
  params: Params,
  name: "condition" | "market_id",
  limits: CursorLimits,
): V2Response => {
  const { limit, offset } = cursorPageIn(params, limits)
  const rows = takePage(rowsIn(sources, params, name), { offset, limit: limit + 1 })
  return pageResponse(
    rows,
    limit,
    (row) => rowJson(sources.ledger, row),
    (row) => row,
  )
}

export const comboActivity = (sources: Sources, params: Params): object => {
  const { data, pagination } = pageOf(sources, params, "market_id", v1Limits.comboActivity)
  return { activity: data, pagination }
}

export const comboActivityV2 = (sources: Sources, params: Params): V2Response =>
  pageOf(sources, params, "condition", v2Limits)
