import type {
  ActivityPlace,
  Listed,
  ListedAct,
  ListedFee,
  ListedFeePaid,
  ListedFlow,
  ListedRedemption,
} from "#src/activity/model.ts"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { indexSetOf } from "#src/domain/indexSet.ts"
import { priceOf } from "#src/feed/amounts.ts"
import { pricesOf, winnerOf } from "#src/feed/payloads/resolution.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type * as shapes from "./shapes.ts"

/** The integers of a cursor. */
export const positionOf = ({ at, block, logIndex, kind, sub }: ActivityPlace): ReadonlyArray<number> => [
  at,
  block,
  logIndex,
  kind,
  sub,
]

/** The place that a cursor names. */
export const placeIn = (position: ReadonlyArray<bigint> | undefined): ActivityPlace | undefined => {
  if (position === undefined) return undefined
  const [at = 0, block = 0, logIndex = 0, kind = 0, sub = 0] = position.map(Number)
  return { at, block, logIndex, kind, sub }
}

const idOf = ({ tx, logIndex }: Listed) => `${tx}_${logIndex}`

const indexSets = (outcomes: ReadonlyArray<number>) => outcomes.map((outcome) => String(indexSetOf([outcome])))

/** The questions of a conversion in decimal digits; null if they are not recorded, or it names no market. */
export const questionSet = ({ questions, negRiskMarket }: ListedAct): string | null =>
  questions === null || negRiskMarket === null ? null : String(indexSetOf(questions))

const isTransfer = ({ type }: ListedAct) => type === "transfer_in" || type === "transfer_out"

export const idOfAct = (act: ListedAct) => (isTransfer(act) ? `${idOf(act)}_${act.sub}` : idOf(act))

const extraOf = (act: ListedAct): string | null => {
  switch (act.type) {
    case "redemption":
      return indexSets(act.outcomes ?? []).join(",")
    case "conversion":
      return questionSet(act)
    case "transfer_in":
    case "transfer_out":
      return act.other
    default:
      return null
  }
}

const refOf = (act: ListedAct): string | null => {
  if (isTransfer(act)) return act.token
  return act.type === "conversion" ? act.negRiskMarket : act.condition
}

const namesOf = ({ tx, title, slug }: ListedAct) => ({ transaction_hash: tx, market: title, slug })

export const shownAct = (act: ListedAct): typeof shapes.Act.Type => ({
  event_type: act.type,
  id: idOfAct(act),
  timestamp: String(act.at),
  ref_id: refOf(act),
  amount: decimalAmount(act.amount),
  extra: extraOf(act),
  ...namesOf(act),
})

export const shownPair = (act: ListedAct): typeof shapes.Pair.Type => ({
  id: idOf(act),
  timestamp: String(act.at),
  condition: act.condition ?? "",
  amount: decimalAmount(act.amount),
  ...namesOf(act),
})

export const shownConversion = (act: ListedAct): typeof shapes.Conversion.Type => ({
  id: idOf(act),
  timestamp: String(act.at),
  neg_risk_market_id: act.negRiskMarket ?? "",
  amount: decimalAmount(act.amount),
  index_set: questionSet(act),
  question_count: act.questionCount ?? 0,
  transaction_hash: act.tx,
})

export const shownRedemption = (row: ListedRedemption): typeof shapes.Redemption.Type => {
  const winner = winnerOf(row.payouts)
  const condition = row.condition ?? ""
  return {
    id: idOf(row),
    timestamp: String(row.at),
    condition,
    payout: decimalAmount(row.payout),
    index_sets: indexSets(row.redeemed),
    condition_id: condition,
    payout_e6: String(row.payout),
    payout_usdc: exactAmount(row.payout),
    market_title: row.title,
    market_slug: row.slug,
    market_image: row.image,
    event_title: row.eventTitle,
    event_slug: row.eventSlug,
    neg_risk: row.negRisk,
    token_ids: row.tokens,
    outcomes: row.outcomes,
    payouts: row.payouts?.map(Number) ?? null,
    outcome_prices: row.payouts === null ? null : pricesOf(row.payouts),
    winning_outcome_index: winner,
    winning_outcome: winner === null ? null : (row.outcomes?.[winner] ?? null),
    winning_token_id: winner === null ? null : (row.tokens[winner] ?? null),
    resolved_at: row.resolvedAt === null ? null : String(Math.floor(row.resolvedAt.getTime() / 1000)),
    transaction_hash: row.tx,
    redemption_source: row.isOfModule ? "module" : "conditional_tokens",
    source_event: row.isOfModule ? "PositionRedeemed" : "PayoutRedemption",
    block_number: row.block,
    log_index: row.logIndex,
  }
}

export const shownFeePaid = (row: ListedFeePaid): typeof shapes.FeePaid.Type => ({
  id: idOf(row),
  timestamp: String(row.at),
  maker: row.maker,
  taker: row.taker,
  fee: exactAmount(row.charged),
  fee_paid: exactAmount(row.paid),
  fee_paid_raw: String(row.paid),
  price: priceOf(row.usd, row.shares),
  size: exactAmount(row.shares),
  direction: row.isSale ? "SELL" : "BUY",
  market: row.title,
  slug: row.slug,
  condition_id: row.condition,
  token_id: row.token,
  order_hash: row.orderHash,
  transaction_hash: row.tx,
  source: "order_filled",
})

export const shownFlow =
  (wallet: string) =>
  (row: ListedFlow): typeof shapes.Flow.Type => {
    const isDeposit = row.amount > 0n
    const direction = isDeposit ? "deposit" : "withdrawal"
    const size = isDeposit ? row.amount : -row.amount
    return {
      event_type: direction,
      direction,
      amount: exactAmount(size),
      amount_usdc: exactAmount(size),
      amount_raw: String(size),
      asset: `0x${address.pusd}`,
      asset_symbol: "pUSD",
      ramp: null,
      source_event: isDeposit ? "Wrapped" : "Unwrapped",
      recipient: isDeposit ? wallet : null,
      id: idOf(row),
      transaction_hash: row.tx,
      block_number: row.block,
      block_timestamp: row.at,
      log_index: row.logIndex,
    }
  }

export const shownFee = (row: ListedFee): typeof shapes.Fee.Type => ({
  id: idOf(row),
  timestamp: String(row.at),
  receiver: row.receiver,
  amount: decimalAmount(row.amount),
  transaction_hash: row.tx,
  token_id: row.token,
  order_hash: row.orderHash,
})
