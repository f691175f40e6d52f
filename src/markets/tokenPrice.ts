import type { Quote } from "#src/books/model.ts"
import type { DatedPrice, StoredToken } from "./TokenStore.ts"

export const priceSources = ["settlement", "clob_mid", "last_fill", "v1_condition"] as const

/** The price of a token: where it comes from, and since when it is known. */
export interface TokenPrice extends DatedPrice {
  readonly source: (typeof priceSources)[number]
}

const midOf = (quote: Quote | undefined): DatedPrice | undefined =>
  quote === undefined || quote.mid === null ? undefined : { price: quote.mid, at: new Date(quote.updatedAt) }

/** The first that there is; undefined if there is none. Orders for shares that are settled mean nothing. */
export const priceOf = (token: StoredToken, quote: Quote | undefined): TokenPrice | undefined => {
  const { isResolved, payout, lastFill, listed } = token
  const prices = {
    settlement: payout,
    clob_mid: isResolved ? undefined : midOf(quote),
    last_fill: lastFill,
    v1_condition: listed,
  }
  for (const source of priceSources) {
    const known = prices[source]
    if (known !== undefined) return { ...known, source }
  }
  return undefined
}
