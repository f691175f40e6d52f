import { Act } from "../Facts.ts"
import type { Millis } from "../model.ts"
import { lot } from "../orderBook.ts"
import type { Market } from "../Venue.ts"
import { type Desk, someMaker, someWallet, usd } from "./Desk.ts"
import { fund } from "./funding.ts"

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
  const act = desk.facts.add({ kind: Act.merge, block: desk.blockFor(at), at, wallet, market: market.index, amount })
  books.merge(wallet, yes, no, amount, act)
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
  desk.facts.add({
    kind: Act.transfer,
    block: desk.blockFor(at),
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
  if (!market.event.plan.negRisk) return false
  const siblings = market.event.markets.map((index) => markets[index] as Market)
  if (siblings.some(({ payouts }) => payouts !== undefined)) return false
  const wallet = someMaker(desk)
  const given = siblings.filter(({ tokens }) => books.held(wallet, tokens[1]) >= lot).slice(0, 2)
  const taken = siblings.filter((sibling) => !given.includes(sibling))
  if (given.length === 0 || taken.length === 0) return false
  const most = Math.min(...given.map(({ tokens }) => books.held(wallet, tokens[1])))
  const amount = Math.floor(most / (2 * lot)) * lot
  if (amount === 0) return false
  const bits = given.reduce((set, { place }) => set + 2 ** place, 0)
  desk.facts.add({
    kind: Act.convert,
    block: desk.blockFor(at),
    at,
    wallet,
    market: market.index,
    amount,
    extra: bits,
  })
  books.convert(
    wallet,
    given.map(({ tokens }) => tokens[1]),
    taken.map(({ tokens }) => tokens[0]),
    amount,
  )
  return true
}
