import type { ListedAct, ListedRedemption } from "#src/activity/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { idOfAct, questionSet, shownRedemption as shownV3Redemption } from "../translate.ts"
import type { OnchainEvent, OnchainRedemption } from "./shapes.ts"

export const shownEvent = (act: ListedAct): typeof OnchainEvent.Type => {
  const isConversion = act.type === "conversion"
  return {
    type: isConversion ? "conversion" : act.type === "merge" ? "merge" : "split",
    id: idOfAct(act),
    timestamp: act.at,
    condition: isConversion ? null : act.condition,
    amount: exactAmount(act.amount),
    market: act.title,
    slug: act.slug,
    image: act.image,
    neg_risk_market_id: act.negRiskMarket,
    index_set: questionSet(act),
    question_count: act.questionCount,
  }
}

export const shownRedemption = (row: ListedRedemption): typeof OnchainRedemption.Type => {
  const { id, condition, index_sets, payout_usdc, market_title, market_slug, market_image } = shownV3Redemption(row)
  return {
    id,
    timestamp: row.at,
    condition,
    index_sets: index_sets ?? [],
    payout: payout_usdc,
    market: market_title,
    slug: market_slug,
    image: market_image,
  }
}
