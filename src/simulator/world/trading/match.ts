import { Act, exchange, Side } from "../Facts.ts"
import type { Micro, Millis } from "../model.ts"
import { type Level, lot } from "../orderBook.ts"
import type { Market } from "../Venue.ts"
import { appetiteOf, type Desk, someMaker, someTaker } from "./Desk.ts"
import { fund } from "./funding.ts"

const mostMakers = 4

/** An order that waited and is met, at its own price in 1/1000. */
interface Met {
  readonly maker: number
  readonly price: number
  readonly shares: Micro
}

/** Takes what waits, best price first, until the order is filled or has met four others. */
const meet = (desk: Desk, side: Iterable<Level>, wanted: Micro): ReadonlyArray<Met> => {
  const met: Array<Met> = []
  let left = wanted
  for (const { price, shares: waiting } of side) {
    let here = Math.min(left, waiting)
    const orders = desk.dice.chance(0.35) ? 2 : 1
    for (let i = orders; i > 0 && here > 0 && met.length < mostMakers; i--) {
      const maker = someMaker(desk)
      const shares = i === 1 ? here : Math.max(lot, Math.floor(here / (2 * lot)) * lot)
      here -= shares
      if (met.some((order) => order.maker === maker)) continue
      met.push({ maker, price, shares })
      left -= shares
    }
    if (left <= 0 || met.length === mostMakers) break
  }
  return met
}

/** The venue's formula: shares × rate × p(1−p), to five decimals. */
const takerFee = ({ plan }: Market, met: ReadonlyArray<Met>): Micro => {
  const { fees } = plan
  if (fees === undefined) return 0
  const weighed = met.reduce((sum, { shares, price }) => sum + shares * price * (1000 - price), 0)
  return Math.round((weighed * fees.rate) / 10_000_000) * 10
}

/** The first exchange: 10 % of the smaller side in what the taker receives, four fifths of it given back. */
const firstGenerationFee = ({ plan }: Market, shares: Micro, paid: Micro, buys: boolean) => {
  if (plan.fees === undefined) return { charged: 0, refund: 0 }
  const smaller = Math.min(paid, shares - paid)
  const charged = Math.floor(buys ? (smaller / paid) * (shares / 10) : smaller / 10)
  return { charged, refund: Math.floor((charged * 4) / 5) }
}

/** Makers share a part of the taker's fee. */
const rebateOf = ({ plan }: Market, fee: Micro, shares: Micro, of: Micro): Micro =>
  plan.fees === undefined ? 0 : Math.floor(fee * plan.fees.rebateRate * (shares / of))

/** Whoever trades a combo has let its exchange move their tokens and collateral. */
const approveCombos = (desk: Desk, wallet: number, at: Millis): void => {
  if (desk.approvedCombos.has(wallet)) return
  desk.approvedCombos.add(wallet)
  desk.facts.add({ kind: Act.approve, block: desk.blockFor(at), at, wallet, market: -1 })
}

/** One taker order against the orders that wait, of the same token or of its complement (MINT and MERGE). */
export const match = (desk: Desk, market: Market, at: Millis): boolean => {
  const { dice, facts, venue } = desk
  const { books } = venue
  const taker = someTaker(desk, market)
  // Combos are bought to win.
  const outcome = dice.chance(market.legs === undefined ? 0.5 : 0.9) ? 0 : 1
  const token = market.tokens[outcome]
  const other = market.tokens[outcome === 0 ? 1 : 0]
  const held = books.held(taker, token)
  const buys = held < lot || dice.chance(0.6)
  const wanted = lot * Math.floor((500 + dice.skewed(0, 200_000)) * appetiteOf(desk, taker))
  const size = buys ? wanted : Math.min(wanted, held - (held % lot))
  const met = meet(desk, desk.metBy(market, outcome, buys, at), size)
  const shares = met.reduce((sum, order) => sum + order.shares, 0)
  if (shares === 0) return false
  const paid = met.reduce((sum, order) => sum + (order.shares * order.price) / 1000, 0)
  const first = at < desk.cutOver
  const v1 = first ? firstGenerationFee(market, shares, paid, buys) : { charged: 0, refund: 0 }
  const fee = first ? v1.charged : takerFee(market, met)

  if (market.legs !== undefined) for (const { maker } of [{ maker: taker }, ...met]) approveCombos(desk, maker, at)
  if (buys) fund(desk, taker, paid + (first ? 0 : fee), at)
  // What each maker does: meet the order on the same token, or take the other outcome at the remaining price.
  const orders = met.map(({ maker, price, shares }) => {
    const has = books.held(maker, buys ? token : other) >= shares
    const same = buys ? has : !has
    const side = buys === same ? Side.sell : Side.buy
    const amount = (shares * (same ? price : 1000 - price)) / 1000
    if (side === Side.buy) fund(desk, maker, amount, at)
    return { maker, token: same ? token : other, side, shares, usd: amount }
  })

  const act = facts.add({
    kind: Act.match,
    block: desk.blockFor(at),
    at,
    wallet: taker,
    market: market.index,
    token,
    amount: shares,
    extra: v1.refund,
  })
  const builder = dice.chance(0.25) && !first ? 1 + dice.below(desk.builders) : 0
  for (const order of orders) {
    facts.addFill({ ...order, taker, fee: 0, builder: 0 })
    if (order.side === Side.buy) books.buy(order.maker, order.token, order.shares, order.usd, 0)
    else books.sell(order.maker, order.token, order.shares, order.usd, 0, act)
    if (order.token === other) market.openInterest += buys ? order.shares : -order.shares
    if (!first) books.accrueRebate(order.maker, rebateOf(market, fee, order.shares, shares))
  }
  const side = buys ? Side.buy : Side.sell
  facts.addFill({ maker: taker, taker: exchange, token, side, shares, usd: paid, fee, builder })
  if (buys) {
    books.buy(taker, token, shares, paid, first ? 0 : fee)
    if (first && fee > 0) {
      books.takeShares(taker, token, fee)
      books.returnShares(taker, token, v1.refund)
    }
  } else {
    books.sell(taker, token, shares, paid, fee, act)
    if (v1.refund > 0) books.refundCash(taker, token, v1.refund, act)
  }
  const { price } = met.at(-1) as Met
  market.last = outcome === 0 ? price : 1000 - price
  market.volume += paid
  market.trades += 1
  if (market.last > 960 || market.last < 40) market.nearCertain = true
  return true
}
