import type { Books } from "./Books.ts"
import type { ComboOperation, ComboStep } from "./Facts.ts"
import type { Micro } from "./model.ts"
import type { Market } from "./Venue.ts"

/** A combo that a step makes, and whether nobody made it before. */
export interface Part {
  readonly combo: Market
  readonly isNew: boolean
  /** The outcome that is received. */
  readonly outcome: 0 | 1
}

/** `amount` of each given token for as many of each received one. */
export const exchangeStep = (
  operation: ComboOperation,
  market: Market,
  given: ReadonlyArray<number>,
  parts: ReadonlyArray<Part>,
  amount: Micro,
): ComboStep => ({
  operation,
  market: market.index,
  given,
  received: parts.map(({ combo, outcome }) => combo.tokens[outcome]),
  prepared: parts.flatMap(({ combo, isNew }) => (isNew ? [combo.index] : [])),
  amount,
  created: amount,
  paid: 0,
})

const none: ReadonlyArray<number> = []

export const splitCollateral = ({ index, tokens }: Market, amount: Micro): ComboStep => ({
  operation: "split_collateral",
  market: index,
  given: none,
  received: tokens,
  prepared: none,
  amount,
  created: amount,
  paid: -amount,
})

export const mergeIntoCollateral = ({ index, tokens }: Market, amount: Micro): ComboStep => ({
  operation: "merge_collateral",
  market: index,
  given: tokens,
  received: none,
  prepared: none,
  amount,
  created: 0,
  paid: amount,
})

/** A sequence counts step by step, also for tokens that it makes and gives up again. */
export const applyStep = (books: Books, wallet: number, step: ComboStep, tx: number): void => {
  const { operation, given, received, amount } = step
  if (operation === "split_collateral") books.split(wallet, received[0] as number, received[1] as number, amount)
  else if (operation === "merge_collateral") books.merge(wallet, given[0] as number, given[1] as number, amount, tx)
  else books.exchange(wallet, given, received, step)
}
