import { TxKind } from "../Facts.ts"
import type { Millis } from "../model.ts"
import { lot } from "../orderBook.ts"
import type { Market } from "../Venue.ts"
import { fund, pickMaker, pickWallet, type TradingContext, usd } from "./TradingContext.ts"

/** Splits collateral into both outcomes; market makers build inventory this way. */
export const split = (context: TradingContext, market: Market, at: Millis): boolean => {
  const wallet = context.dice.chance(0.7) ? pickMaker(context) : pickWallet(context)
  const amount = 100 * usd * context.dice.between(1, 50)
  fund(context, wallet, amount, at)
  context.facts.add({ kind: TxKind.split, block: context.blockFor(at), at, wallet, market: market.index, amount })
  context.venue.books.split(wallet, market.tokens[0], market.tokens[1], amount)
  market.openInterest += amount
  return true
}

/** Merges both outcomes into collateral. */
export const merge = (context: TradingContext, market: Market, at: Millis): boolean => {
  const { books } = context.venue
  const wallet = pickMaker(context)
  const [yes, no] = market.tokens
  const available = Math.min(books.held(wallet, yes), books.held(wallet, no))
  const amount = Math.floor(available / (2 * lot)) * lot
  if (amount === 0) return false
  const tx = context.facts.add({
    kind: TxKind.merge,
    block: context.blockFor(at),
    at,
    wallet,
    market: market.index,
    amount,
  })
  books.merge(wallet, yes, no, amount, tx)
  market.openInterest -= amount
  return true
}

/** Transfers shares between wallets without a trade. */
export const transfer = (context: TradingContext, market: Market, at: Millis): boolean => {
  const { books } = context.venue
  const token = market.tokens[context.dice.chance(0.5) ? 0 : 1]
  const from = context.dice.chance(0.5) ? pickMaker(context) : pickWallet(context)
  const to = pickWallet(context)
  const shares = Math.floor(books.held(from, token) / (4 * lot)) * lot
  if (shares === 0 || from === to) return false
  context.facts.add({
    kind: TxKind.transfer,
    block: context.blockFor(at),
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

/** Converts NOs of some questions of a neg-risk event into YESes of all others. */
export const convert = (context: TradingContext, market: Market, at: Millis): boolean => {
  const { books, markets } = context.venue
  if (!market.event.plan.negRisk) return false
  const siblings = market.event.markets.map((index) => markets[index] as Market)
  if (siblings.some(({ payouts }) => payouts !== undefined)) return false
  const wallet = pickMaker(context)
  const surrendered = siblings.filter(({ tokens }) => books.held(wallet, tokens[1]) >= lot).slice(0, 2)
  const received = siblings.filter((sibling) => !surrendered.includes(sibling))
  if (surrendered.length === 0 || received.length === 0) return false
  const available = Math.min(...surrendered.map(({ tokens }) => books.held(wallet, tokens[1])))
  const amount = Math.floor(available / (2 * lot)) * lot
  if (amount === 0) return false
  const bits = surrendered.reduce((set, { questionIndex }) => set + 2 ** questionIndex, 0)
  context.facts.add({
    kind: TxKind.convert,
    block: context.blockFor(at),
    at,
    wallet,
    market: market.index,
    amount,
    extra: bits,
  })
  books.convert(
    wallet,
    surrendered.map(({ tokens }) => tokens[1]),
    received.map(({ tokens }) => tokens[0]),
    amount,
  )
  return true
}
