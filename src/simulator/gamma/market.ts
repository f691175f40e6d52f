import { address } from "../chain/contracts.ts"
import { pictureOf } from "../pictures.ts"
import { rewardsOf } from "../world/MakerPayouts.ts"
import type { MarketPlan } from "../world/model.ts"
import type { Market } from "../world/Venue.ts"
import { cryptoMarketConfig, resolutionSource, upDownOf } from "./crypto.ts"
import { dateOf, encodedList, fieldsText, iso, postgresTime } from "./format.ts"
import type { GammaView } from "./GammaView.ts"
import { gameIdOfMarket } from "./gameIds.ts"
import { numbersOf } from "./marketNumbers.ts"

const identityOf = (view: GammaView, market: Market) => {
  const { event, plan, tokens } = market
  const { category, description } = event.plan
  const token = (index: number) => view.sim.model.world.venue.tokens[index]?.id ?? ""
  return {
    id: market.id,
    version: "v1",
    question: plan.question,
    conditionId: market.conditionId,
    questionID: market.questionId,
    slug: plan.slug,
    description,
    category,
    image: pictureOf(view.sim, category),
    icon: pictureOf(view.sim, category),
    resolutionSource: resolutionSource(upDownOf(plan)),
    outcomes: encodedList(plan.outcomes),
    shortOutcomes: encodedList(plan.outcomes),
    clobTokenIds: encodedList(tokens.map(token)),
    groupItemTitle: plan.groupItemTitle,
    groupItemThreshold: String(event.markets.indexOf(market.index)),
    marketMakerAddress: "",
    submitted_by: address.umaAdapter,
    resolvedBy: address.umaAdapter,
  }
}

const negRiskOf = ({ event, questionId }: Market) => {
  const { negRiskMarketId } = event
  if (negRiskMarketId === undefined) return { negRisk: false, negRiskOther: false }
  return { negRisk: true, negRiskOther: false, negRiskMarketID: negRiskMarketId, negRiskRequestID: questionId }
}

/** Up/down markets resolve automatically; all others are proposed to the oracle first. */
export const umaStatusOf = (view: GammaView, market: Market): "proposed" | "resolved" | undefined => {
  if (market.plan.rule.kind === "updown" || view.now < market.plan.endsAt) return undefined
  return view.isClosed(market) ? "resolved" : "proposed"
}

const umaStatuses = { none: "[]", proposed: encodedList(["proposed"]), resolved: encodedList(["proposed", "resolved"]) }

const settingsOf = ({ plan, createdAt }: Market) => ({
  active: true,
  archived: false,
  new: false,
  featured: false,
  restricted: true,
  ready: false,
  funded: false,
  approved: true,
  cyom: false,
  rfqEnabled: false,
  enableOrderBook: true,
  acceptingOrdersTimestamp: iso(createdAt),
  clearBookOnStart: plan.sportsMarketType !== undefined,
  automaticallyActive: true,
  automaticallyResolved: plan.rule.kind === "updown",
  comboStatus: plan.sportsMarketType === "moneyline" ? "enabled" : "disabled",
  orderMinSize: 5,
  secondsDelay: plan.sportsMarketType === undefined ? 0 : 3,
})

const stateOf = (view: GammaView, market: Market, closed: boolean) => {
  const uma = umaStatusOf(view, market)
  return {
    closed,
    acceptingOrders: view.isTrading(market),
    umaResolutionStatus: uma,
    umaResolutionStatuses: umaStatuses[uma ?? "none"],
    updatedAt: iso(updatedAt(view, market)),
    closedTime: closed ? postgresTime(view.listing.marketClosesAt(market)) : undefined,
    umaEndDate: closed && market.plan.rule.kind === "fate" ? iso(view.listing.marketClosesAt(market)) : undefined,
  }
}

export const updatedAt = (view: GammaView, market: Market): number =>
  Math.max(
    market.createdAt,
    view.trades.lastAt(market.index),
    view.isClosed(market) ? view.listing.marketClosesAt(market) : 0,
  )

const datesOf = ({ plan, event, createdAt }: Market) => {
  const { game } = event.plan
  return {
    startDate: iso(createdAt),
    startDateIso: dateOf(createdAt),
    endDate: iso(plan.endsAt),
    endDateIso: dateOf(plan.endsAt),
    createdAt: iso(createdAt),
    eventStartTime: plan.rule.kind === "updown" ? iso(plan.rule.openAt) : undefined,
    gameStartTime: game && postgresTime(game.startsAt),
  }
}

const feesOf = ({ fees, sportsMarketType }: MarketPlan) => {
  if (fees === undefined) return { feesEnabled: false, makerBaseFee: 0, takerBaseFee: 0 }
  const { exponent, rate, rebateRate } = fees
  return {
    feesEnabled: true,
    // The legacy cap, not the fee.
    makerBaseFee: 1000,
    takerBaseFee: 1000,
    makerRebatesFeeShareBps: Math.round(rebateRate * 10_000),
    feeType: sportsMarketType === undefined ? "crypto_fees_v2" : "sports_fees_v3",
    feeSchedule: { exponent, rate, takerOnly: true, rebateRate },
  }
}

const sportsOf = ({ plan, event }: Market) => {
  const { game } = event.plan
  if (game === undefined) return undefined
  return {
    sportsMarketType: plan.sportsMarketType,
    line: plan.line,
    gameId: gameIdOfMarket(game, plan),
    teamAID: String(game.home.id),
    teamBID: String(game.away.id),
  }
}

const clobRewards = (market: Market) => {
  const { daily } = rewardsOf(market)
  if (daily === 0) return undefined
  return [
    {
      id: String(20_000 + market.index),
      conditionId: market.conditionId,
      assetAddress: address.usdce,
      rewardsAmount: 0,
      rewardsDailyRate: daily,
      startDate: dateOf(market.createdAt),
      endDate: "2500-12-31",
    },
  ]
}

const rewardFieldsOf = (market: Market) => {
  const { minSize, maxSpread } = rewardsOf(market)
  return { rewardsMinSize: minSize, rewardsMaxSpread: maxSpread, clobRewards: clobRewards(market) }
}

const constantFieldsOf = (view: GammaView, market: Market): string => {
  const updown = upDownOf(market.plan)
  return fieldsText({
    ...identityOf(view, market),
    ...settingsOf(market),
    ...negRiskOf(market),
    ...datesOf(market),
    ...feesOf(market.plan),
    ...rewardFieldsOf(market),
    ...sportsOf(market),
    cryptoMarketConfig: updown && cryptoMarketConfig(updown),
  })
}

/** The JSON fields of a market, without the events and tags that some routes add. */
export const marketFieldsText = (view: GammaView, market: Market): string => {
  const closed = view.isClosed(market)
  const constant = view.marketTexts.get(market.index, () => constantFieldsOf(view, market))
  return `${constant},${fieldsText(stateOf(view, market, closed))},${fieldsText(numbersOf(view, market))}`
}
