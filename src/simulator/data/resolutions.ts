import { topic } from "../chain/contracts.ts"
import { firstBlock } from "../world/blockClock.ts"
import type { Market } from "../world/Venue.ts"
import type { Ledger } from "./Ledger.ts"
import { invalid, type Params } from "./Params.ts"
import type { V2Response } from "./pagination.ts"
import { byCondition, marketsIn } from "./selection.ts"
import type { Sources } from "./sources.ts"

/** The oracle's value for no price. */
const unset = "69"

/** The transaction that reports the result, if its block exists. */
const resolveTxOf = ({ end }: Ledger, { resolvedBy }: Market): number | undefined =>
  resolvedBy !== undefined && resolvedBy < end ? resolvedBy : undefined

const logIndexOf = ({ sim, facts }: Ledger, tx: number, conditionId: string): number | null => {
  const block = facts.block.get(tx) + firstBlock
  const topics = [new Set<string>([topic.conditionResolution]), new Set([conditionId])]
  const [text] = sim.chain.logTexts({ fromBlock: block, toBlock: block, addresses: undefined, topics })
  const log: unknown = text === undefined ? undefined : JSON.parse(text)
  return typeof log === "object" && log !== null && "logIndex" in log ? Number(log.logIndex) : null
}

const priceOf = ([first, second]: readonly [number, number]): string => {
  if (first === second) return "500000000000000000"
  return first > second ? "1000000000000000000" : "0"
}

const stateOf = (ledger: Ledger, market: Market) => {
  const tx = resolveTxOf(ledger, market)
  const { payouts, plan } = market
  const isAutomatic = plan.rule.kind === "updown"
  if (tx === undefined || payouts === undefined) {
    const isProposed = !isAutomatic && ledger.sim.now() >= plan.endsAt
    return {
      status: isProposed ? "proposed" : "posed",
      price: unset,
      transaction_hash: null,
      log_index: null,
      last_update_timestamp: Math.floor((isProposed ? plan.endsAt : market.createdAt) / 1000),
      payouts: null,
      resolution_source: null,
      resolved_block: null,
      resolved_at: null,
    }
  }
  const sum = payouts[0] + payouts[1]
  return {
    status: "resolved",
    price: priceOf(payouts),
    transaction_hash: ledger.sim.chain.transactionHash(tx),
    log_index: logIndexOf(ledger, tx, market.conditionId),
    last_update_timestamp: ledger.timeOf(tx),
    payouts: payouts.map((payout) => (payout * 1_000_000) / sum),
    // Combos are derived from their legs.
    resolution_source: market.isCombo ? "derived" : "reported",
    resolved_block: ledger.facts.block.get(tx) + firstBlock,
    resolved_at: ledger.timeOf(tx),
  }
}

const resolutionRow = (ledger: Ledger, market: Market) => {
  const { price, ...state } = stateOf(ledger, market)
  const isAutomatic = market.plan.rule.kind === "updown"
  const isProposed = !isAutomatic && state.status === "resolved"
  return {
    question_id: market.questionId,
    condition_id: market.conditionId,
    ...state,
    extended_review: false,
    was_disputed: false,
    new_version_q: false,
    proposed_price: isProposed ? price : unset,
    reproposed_price: unset,
    price,
    market_type: market.event.plan.negRisk ? "INCREMENTAL_NEGRISK" : "BINARY",
    reporter: isAutomatic ? "CHAINLINK" : "UMA_OO",
    was_arbitrated: false,
  }
}

const marketsWithQuestions = (ledger: Ledger, params: Params): ReadonlyArray<Market> => {
  const ids = params.list("question_id")
  if (ids.length > byCondition.maxIds)
    throw invalid(`question_id takes at most ${byCondition.maxIds} ids`, "question_id")
  return ids.flatMap((id) => {
    if (!/^0x[0-9a-f]{64}$/i.test(id)) throw invalid("question_id is not a valid id", "question_id")
    return ledger.marketWithQuestion(id) ?? []
  })
}

export const resolutions = ({ ledger }: Sources, params: Params): V2Response => {
  const given = ["question_id", "condition", "event_id"].filter((name) => params.list(name).length > 0)
  if (given.length !== 1) throw invalid("exactly one of question_id, condition, event_id is required")
  const markets =
    given[0] === "question_id"
      ? marketsWithQuestions(ledger, params)
      : [...(marketsIn(ledger, params, byCondition) ?? [])].map((index) => ledger.market(index))
  return { data: markets.map((market) => resolutionRow(ledger, market)) }
}
