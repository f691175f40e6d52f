import { Act } from "../Facts.ts"
import type { Micro, Millis } from "../model.ts"
import { type Desk, someWallet, usd } from "./Desk.ts"

/** Cash that can be spent at once: after the change of collateral, what was brought over. */
const spendable = ({ venue, cutOver }: Desk, wallet: number, at: Millis): Micro => {
  const { cash, legacyCash } = venue.books
  return at < cutOver ? cash.get(wallet) : cash.get(wallet) - legacyCash.get(wallet)
}

/** The whole of a wallet's first collateral into the second, when it first needs it. */
const migrate = (desk: Desk, wallet: number, at: Millis): void => {
  const { books } = desk.venue
  const amount = books.legacyCash.get(wallet)
  if (amount === 0) return
  desk.facts.add({ kind: Act.migrate, block: desk.blockFor(at), at, wallet, market: -1, amount })
  books.legacyCash.set(wallet, 0)
}

/** Nobody spends what they do not have: who runs short brings in more first. */
export const fund = (desk: Desk, wallet: number, needed: Micro, at: Millis): void => {
  const { books } = desk.venue
  if (spendable(desk, wallet, at) >= needed) return
  if (at >= desk.cutOver) migrate(desk, wallet, at)
  if (spendable(desk, wallet, at) >= needed) return
  const amount = Math.ceil((needed * 5) / (100 * usd)) * 100 * usd
  desk.facts.add({ kind: Act.wrap, block: desk.blockFor(at), at, wallet, market: -1, amount })
  books.deposit(wallet, amount)
}

/** Collateral leaves the venue. */
export const withdraw = (desk: Desk, at: Millis): boolean => {
  const wallet = someWallet(desk)
  const amount = Math.floor(spendable(desk, wallet, at) / (2 * usd)) * usd
  if (amount < 10 * usd) return false
  desk.facts.add({ kind: Act.unwrap, block: desk.blockFor(at), at, wallet, market: -1, amount })
  desk.venue.books.withdraw(wallet, amount)
  return true
}
