import { Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { Listings } from "#src/sports/Listings.ts"
import { Prices } from "#src/sports/Prices.ts"
import { marketsOf } from "#src/sports/score.ts"
import { limits } from "../../parameters.ts"
import { dated, edgeNow, findGame } from "../find.ts"
import { shownPrices } from "../translate.ts"

/** Best prices of the tokens of a game. */
export const pricesHandler = Effect.gen(function* () {
  const listings = yield* Listings
  const prices = yield* Prices
  const find = yield* findGame
  const edge = yield* edgeNow
  return Effect.fnUntraced(function* (key: EventKey, limit: number = limits.priceTokens.default) {
    const found = yield* find(key)
    const quoted = yield* prices.of(marketsOf(found.value), limit, yield* listings.knownAt)
    const { ws, now } = yield* edge
    const body = shownPrices(found, quoted, ws, now)
    return dated(body, body.age_ms)
  })
})
