import { Clock, Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { Listings } from "#src/sports/Listings.ts"
import { Prices } from "#src/sports/Prices.ts"
import { marketsOf } from "#src/sports/score.ts"
import { limits } from "../../parameters.ts"
import { gameHandlers, whileInPlay } from "../cached.ts"
import { findGame } from "../find.ts"
import { shownPrices } from "../translate.ts"

interface PricesQuery {
  readonly limit_tokens?: number
}

/** Best prices of the tokens of a game. */
export const pricesHandlers = Effect.gen(function* () {
  const listings = yield* Listings
  const prices = yield* Prices
  const handlers = yield* gameHandlers
  const find = yield* findGame

  const read = Effect.fnUntraced(function* (key: EventKey, { limit_tokens }: PricesQuery = {}, ws: string) {
    const found = yield* find(key)
    const limit = limit_tokens ?? limits.priceTokens.default
    const quoted = yield* prices.of(marketsOf(found.value), limit, yield* listings.knownAt)
    const now = yield* Clock.currentTimeMillis
    return { value: shownPrices(found, quoted, ws, now), dataAt: quoted.at }
  })
  return handlers("sports-prices", whileInPlay, read)
})
