import type { Dice } from "../random.ts"
import { Act, exchange, type Facts, Side } from "./Facts.ts"
import type { Micro, Millis } from "./model.ts"
import type { Market, Venue } from "./Venue.ts"

/** Shares come in hundredths, so that price times shares is whole. */
const lot = 10_000
const usd = 1_000_000
const mostMakers = 4

/** Where the traders' actions are written down. */
export interface Desk {
  readonly venue: Venue
  readonly facts: Facts
  readonly dice: Dice
  /** Wallets below this index make markets. */
  readonly makers: number
  readonly wallets: number
  readonly builders: number
  readonly blockFor: (at: Millis) => number
}

const isFirstGeneration = (market: Market) => market.exchange === "ctf1" || market.exchange === "negRisk1"

/** Few wallets trade a lot, most a little. */
const someWallet = ({ dice, makers, wallets }: Desk) => {
  const u = dice.unit()
  return makers + Math.floor((wallets - makers) * u * u * u)
}

/** The first maker is everywhere. */
const someMaker = ({ dice, makers }: Desk) => (dice.chance(0.3) ? 0 : dice.below(makers))

/** Nobody spends what they do not have: who runs short brings in more first. */
const fund = (desk: Desk, wallet: number, needed: Micro, at: Millis) => {
  const { books } = desk.venue
  if (books.cash.get(wallet) >= needed) return
  const amount = Math.ceil((needed * 5) / (100 * usd)) * 100 * usd
  desk.facts.add({ kind: Act.wrap, block: desk.blockFor(at), at, wallet, market: -1, amount })
  books.deposit(wallet, amount)
}

/** The venue's formula: shares × rate × p(1−p), to five decimals. */
const takerFee = (market: Market, shares: Micro, price: number): Micro => {
  const { fees } = market.plan
  return fees === undefined ? 0 : Math.round((shares * fees.rate * price * (1000 - price)) / 10_000_000) * 10
}

/** The first exchange: 10 % of the smaller side in what the buyer receives, four fifths of it given back. */
const firstGenerationFee = (market: Market, shares: Micro, price: number, buys: boolean) => {
  if (market.plan.fees === undefined) return { charged: 0, refund: 0 }
  const smaller = Math.min(price, 1000 - price)
  const charged = Math.floor((shares * smaller) / (buys ? price * 10 : 10_000))
  return { charged, refund: Math.floor((charged * 4) / 5) }
}

/** A price on the market's grid, near the middle and on the far side for who takes. */
const quote = (desk: Desk, market: Market, outcome: 0 | 1, buys: boolean): number => {
  const step = market.plan.tickSize === "0.01" ? 10 : 1
  const mid = outcome === 0 ? market.mid : 1000 - market.mid
  const away = step * (desk.dice.chance(0.8) ? 1 : 2)
  const price = Math.round(mid / step) * step + (buys ? away : -away)
  return Math.min(1000 - step, Math.max(step, price))
}

/** One taker order against one or more maker orders, of the same token or of its complement (MINT and MERGE). */
export const match = (desk: Desk, market: Market, at: Millis): boolean => {
  const { dice, facts, venue } = desk
  const { books } = venue
  const taker = someWallet(desk)
  const outcome = dice.chance(0.5) ? 0 : 1
  const token = market.tokens[outcome]
  const other = market.tokens[outcome === 0 ? 1 : 0]
  const held = books.held(taker, token)
  const buys = held < lot || dice.chance(0.6)
  const price = quote(desk, market, outcome, buys)
  const wanted = lot * (500 + dice.skewed(0, 200_000)) * (dice.chance(0.01) ? 10 : 1)
  const size = buys ? wanted : Math.min(wanted, held - (held % lot))
  const count = Math.min(dice.between(1, mostMakers), Math.floor(size / lot))
  const first = isFirstGeneration(market)

  const parts: Array<{ maker: number; shares: Micro }> = []
  let left = size
  for (let i = 0; i < count; i++) {
    const maker = someMaker(desk)
    const shares = i === count - 1 ? left : Math.max(lot, Math.floor(left / (count - i) / lot) * lot)
    if (parts.some((part) => part.maker === maker)) continue
    parts.push({ maker, shares: Math.min(shares, left) })
    left -= shares
    if (left <= 0) break
  }
  const shares = parts.reduce((sum, part) => sum + part.shares, 0)
  if (shares === 0) return false
  const paid = (shares * price) / 1000
  const v1 = first ? firstGenerationFee(market, shares, price, buys) : { charged: 0, refund: 0 }
  const fee = first ? v1.charged : takerFee(market, shares, price)

  if (buys) fund(desk, taker, paid + (first ? 0 : fee), at)
  // What each maker does: meet the order on the same token, or take the other outcome at the remaining price.
  const orders = parts.map(({ maker, shares }) => {
    const has = books.held(maker, buys ? token : other) >= shares
    const same = buys ? has : !has
    const side = buys === same ? Side.sell : Side.buy
    const amount = (shares * (same ? price : 1000 - price)) / 1000
    if (side === Side.buy) fund(desk, maker, amount, at)
    return { maker, token: same ? token : other, side, shares, usd: amount }
  })

  const block = desk.blockFor(at)
  facts.add({
    kind: Act.match,
    block,
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
    else books.sell(order.maker, order.token, order.shares, order.usd, 0, at)
    if (order.token === other) market.openInterest += buys ? order.shares : -order.shares
  }
  facts.addFill({
    maker: taker,
    taker: exchange,
    token,
    side: buys ? Side.buy : Side.sell,
    shares,
    usd: paid,
    fee,
    builder,
  })
  if (buys) {
    books.buy(taker, token, shares, paid, first ? 0 : fee)
    if (first && fee > 0) {
      books.takeShares(taker, token, fee)
      books.returnShares(taker, token, v1.refund)
    }
  } else {
    books.sell(taker, token, shares, paid, fee, at)
    if (v1.refund > 0) books.refundCash(taker, token, v1.refund, at)
  }
  market.last = outcome === 0 ? price : 1000 - price
  market.volume += paid
  return true
}

/** Collateral into both outcomes; market makers stock up this way. */
export const split = (desk: Desk, market: Market, at: Millis): boolean => {
  const wallet = desk.dice.chance(0.7) ? someMaker(desk) : someWallet(desk)
  const amount = 100 * usd * desk.dice.between(1, 50)
  fund(desk, wallet, amount, at)
  desk.facts.add({ kind: Act.split, block: desk.blockFor(at), at, wallet, market: market.index, amount })
  desk.venue.books.split(wallet, market.tokens[0], market.tokens[1], amount)
  market.openInterest += amount
  return true
}

/** Both outcomes back into collateral. */
export const merge = (desk: Desk, market: Market, at: Millis): boolean => {
  const { books } = desk.venue
  const wallet = someMaker(desk)
  const [yes, no] = market.tokens
  const most = Math.min(books.held(wallet, yes), books.held(wallet, no))
  const amount = Math.floor(most / (2 * lot)) * lot
  if (amount === 0) return false
  desk.facts.add({ kind: Act.merge, block: desk.blockFor(at), at, wallet, market: market.index, amount })
  books.merge(wallet, yes, no, amount, at)
  market.openInterest -= amount
  return true
}

/** Shares move from one wallet to another without a trade. */
export const transfer = (desk: Desk, market: Market, at: Millis): boolean => {
  const { books } = desk.venue
  const token = market.tokens[desk.dice.chance(0.5) ? 0 : 1]
  const from = desk.dice.chance(0.5) ? someMaker(desk) : someWallet(desk)
  const to = someWallet(desk)
  const shares = Math.floor(books.held(from, token) / (4 * lot)) * lot
  if (shares === 0 || from === to) return false
  const block = desk.blockFor(at)
  desk.facts.add({
    kind: Act.transfer,
    block,
    at,
    wallet: from,
    market: market.index,
    token,
    amount: shares,
    extra: to,
  })
  books.transfer(from, to, token, shares)
  return true
}

/** In a neg-risk event: NO of some questions into YES of all others. */
export const convert = (desk: Desk, market: Market, at: Millis): boolean => {
  const { books, markets } = desk.venue
  const siblings = market.event.markets.map((index) => markets[index] as Market)
  if (!market.event.plan.negRisk || siblings.some(({ payouts }) => payouts !== undefined)) return false
  const wallet = someMaker(desk)
  const given = siblings.filter(({ tokens }) => books.held(wallet, tokens[1]) >= lot).slice(0, 2)
  const taken = siblings.filter((sibling) => !given.includes(sibling))
  if (given.length === 0 || taken.length === 0) return false
  const most = Math.min(...given.map(({ tokens }) => books.held(wallet, tokens[1])))
  const amount = Math.floor(most / (2 * lot)) * lot
  if (amount === 0) return false
  const bits = given.reduce((set, sibling) => set + 2 ** siblings.indexOf(sibling), 0)
  const block = desk.blockFor(at)
  desk.facts.add({ kind: Act.convert, block, at, wallet, market: market.index, amount, extra: bits })
  books.convert(
    wallet,
    given.map(({ tokens }) => tokens[1]),
    taken.map(({ tokens }) => tokens[0]),
    amount,
  )
  return true
}

/** Collateral leaves the venue. */
export const withdraw = (desk: Desk, at: Millis): boolean => {
  const wallet = someWallet(desk)
  const amount = Math.floor(desk.venue.books.cash.get(wallet) / (2 * usd)) * usd
  if (amount < 10 * usd) return false
  desk.facts.add({ kind: Act.unwrap, block: desk.blockFor(at), at, wallet, market: -1, amount })
  desk.venue.books.withdraw(wallet, amount)
  return true
}
