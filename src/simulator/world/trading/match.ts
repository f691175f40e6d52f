import { hash, seedOf } from "../../random.ts"
import { exchangeAsTaker, Side, TxKind } from "../Facts.ts"
import type { Micro, Millis } from "../model.ts"
import { type Level, lot } from "../orderBook.ts"
import type { Market } from "../Venue.ts"
import { fund, pickMaker, pickTaker, sizeFactor, type TradingContext } from "./TradingContext.ts"

const maxMakers = 4

/** A resting order that is filled, at its own price in 1/1000. */
interface MatchedOrder {
  readonly maker: number
  readonly price: number
  readonly shares: Micro
}

/** Takes resting orders, best price first, until the order is filled or has matched `maxMakers` of them. */
const takeLiquidity = (
  context: TradingContext,
  side: Iterable<Level>,
  requested: Micro,
): ReadonlyArray<MatchedOrder> => {
  const matched: Array<MatchedOrder> = []
  let left = requested
  for (const { price, shares: available } of side) {
    let here = Math.min(left, available)
    const orders = context.dice.chance(0.35) ? 2 : 1
    for (let i = orders; i > 0 && here > 0 && matched.length < maxMakers; i--) {
      const maker = pickMaker(context)
      const shares = i === 1 ? here : Math.max(lot, Math.floor(here / (2 * lot)) * lot)
      here -= shares
      if (matched.some((order) => order.maker === maker)) continue
      matched.push({ maker, price, shares })
      left -= shares
    }
    if (left <= 0 || matched.length === maxMakers) break
  }
  return matched
}

/** The venue's formula: shares × rate × p(1−p), to five decimals. */
const takerFee = ({ plan }: Market, matched: ReadonlyArray<MatchedOrder>): Micro => {
  const { fees } = plan
  if (fees === undefined) return 0
  const weighed = matched.reduce((sum, { shares, price }) => sum + shares * price * (1000 - price), 0)
  return Math.round((weighed * fees.rate) / 10_000_000) * 10
}

/** The first exchange: 10 % of the smaller side in what the taker receives, four fifths of it refunded. */
const firstGenerationFee = ({ plan }: Market, shares: Micro, paid: Micro, buys: boolean) => {
  if (plan.fees === undefined) return { charged: 0, refund: 0 }
  const smaller = Math.min(paid, shares - paid)
  const charged = Math.floor(buys ? (smaller / paid) * (shares / 10) : smaller / 10)
  return { charged, refund: Math.floor((charged * 4) / 5) }
}

/** A maker's part of the taker's fee. */
export const rebateOf = ({ plan }: Market, fee: Micro, shares: Micro, totalShares: Micro): Micro =>
  plan.fees === undefined ? 0 : Math.floor(fee * plan.fees.rebateRate * (shares / totalShares))

const restingBuilders = seedOf(0, "builders of resting orders")

/**
 * The builder that routed a resting order, 0 for none. It follows from what fills of one order have in common: builders are
 * part of an order.
 */
const builderOfResting = ({ builders }: TradingContext, maker: number, token: number, price: number): number => {
  const drawn = hash(restingBuilders, maker, token, price)
  return drawn % 8 === 0 ? 1 + (Math.floor(drawn / 8) % builders) : 0
}

/** Trading a combo requires that its exchange may move the wallet's tokens and collateral. */
const approveCombos = (context: TradingContext, wallet: number, at: Millis): void => {
  if (context.approvedCombos.has(wallet)) return
  context.approvedCombos.add(wallet)
  context.facts.add({ kind: TxKind.approve, block: context.blockFor(at), at, wallet, market: -1 })
}

/** One taker order against resting orders of the same token or of its complement (MINT and MERGE). */
export const match = (context: TradingContext, market: Market, at: Millis): boolean => {
  const { dice, facts, venue } = context
  const { books } = venue
  const taker = pickTaker(context, market)
  // Most combo traders bet on the combo.
  const outcome = dice.chance(market.legs === undefined ? 0.5 : 0.9) ? 0 : 1
  const token = market.tokens[outcome]
  const other = market.tokens[outcome === 0 ? 1 : 0]
  const held = books.held(taker, token)
  const buys = held < lot || dice.chance(0.6)
  const requested = lot * Math.floor((500 + dice.skewed(0, 200_000)) * sizeFactor(context, taker))
  const size = buys ? requested : Math.min(requested, held - (held % lot))
  const matched = takeLiquidity(context, context.opposingLevels(market, outcome, buys, at), size)
  const shares = matched.reduce((sum, order) => sum + order.shares, 0)
  if (shares === 0) return false
  const paid = matched.reduce((sum, order) => sum + (order.shares * order.price) / 1000, 0)
  const first = at < context.cutOver
  const v1 = first ? firstGenerationFee(market, shares, paid, buys) : { charged: 0, refund: 0 }
  const fee = first ? v1.charged : takerFee(market, matched)

  if (market.legs !== undefined)
    for (const { maker } of [{ maker: taker }, ...matched]) approveCombos(context, maker, at)
  if (buys) fund(context, taker, paid + (first ? 0 : fee), at)
  // Each maker trades the same token, or the other outcome at the complementary price.
  const orders = matched.map(({ maker, price, shares }) => {
    const has = books.held(maker, buys ? token : other) >= shares
    const same = buys ? has : !has
    const side = buys === same ? Side.sell : Side.buy
    const own = same ? price : 1000 - price
    const amount = (shares * own) / 1000
    if (side === Side.buy) fund(context, maker, amount, at)
    const traded = same ? token : other
    const builder = first ? 0 : builderOfResting(context, maker, traded, side === Side.buy ? own : -own)
    return { maker, token: traded, side, shares, usd: amount, builder }
  })

  const tx = facts.add({
    kind: TxKind.match,
    block: context.blockFor(at),
    at,
    wallet: taker,
    market: market.index,
    token,
    amount: shares,
    extra: v1.refund,
  })
  const builder = dice.chance(0.25) && !first ? 1 + dice.below(context.builders) : 0
  for (const order of orders) {
    facts.addFill({ ...order, taker, fee: 0 })
    if (order.side === Side.buy) books.buy(order.maker, order.token, order.shares, order.usd, 0)
    else books.sell(order.maker, order.token, order.shares, order.usd, 0, tx)
    if (order.token === other) market.openInterest += buys ? order.shares : -order.shares
    if (!first) books.accrueRebate(order.maker, rebateOf(market, fee, order.shares, shares))
  }
  const side = buys ? Side.buy : Side.sell
  facts.addFill({ maker: taker, taker: exchangeAsTaker, token, side, shares, usd: paid, fee, builder })
  if (buys) {
    books.buy(taker, token, shares, paid, first ? 0 : fee)
    if (first && fee > 0) {
      books.chargeShares(taker, token, fee)
      books.refundShares(taker, token, v1.refund)
    }
  } else {
    books.sell(taker, token, shares, paid, fee, tx)
    if (v1.refund > 0) books.refundCash(taker, token, v1.refund, tx)
  }
  const { price } = matched.at(-1) as MatchedOrder
  market.last = outcome === 0 ? price : 1000 - price
  market.volume += paid
  market.trades += 1
  if (market.last > 960 || market.last < 40) market.nearCertain = true
  return true
}
