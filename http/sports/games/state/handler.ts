import { Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { EventKey } from "#src/sports/EventStore.ts"
import { History } from "#src/sports/History.ts"
import { Listings } from "#src/sports/Listings.ts"
import { Prices } from "#src/sports/Prices.ts"
import { marketsOf } from "#src/sports/score.ts"
import { allowTime } from "../../../server/deadline.ts"
import { limits } from "../../parameters.ts"
import { refusal } from "../../translate.ts"
import { dated, edgeNow, findGame } from "../find.ts"
import { type HistoryInput, readHistory } from "../history/input.ts"
import { shownState } from "../translate.ts"

interface StateInput extends HistoryInput {
  readonly price_limit_tokens?: number
  readonly include_history?: "true" | "false"
  readonly history_limit_tokens?: number
}

/** The state of a game: its score and prices, and their history on request. */
export const gameState = Effect.gen(function* () {
  const listings = yield* Listings
  const prices = yield* Prices
  const histories = yield* History
  const find = yield* findGame
  const edge = yield* edgeNow
  return Effect.fnUntraced(function* (key: EventKey, input: StateInput) {
    const request = yield* readHistory(input)
    const found = yield* find(key)
    const knownAt = yield* listings.knownAt
    const limit = input.price_limit_tokens ?? limits.stateTokens.default
    const quoted = yield* prices.of(marketsOf(found.value), limit, knownAt)
    const tokens = input.history_limit_tokens ?? limits.historyTokens.default
    const history =
      input.include_history === "true"
        ? yield* Effect.catch(histories.of(found.value, tokens, request), refusal)
        : undefined
    const { ws, now } = yield* edge
    return shownState(found, quoted, history, ws, now)
  })
})

export const stateHandler = Effect.map(gameState, (stateOf) =>
  Effect.fnUntraced(function* (key: EventKey, input: StateInput) {
    // The venue may be asked for the game, its prices and its history, one after the other.
    allowTime(yield* HttpServerRequest, "10 seconds")
    const body = yield* stateOf(key, input)
    return dated(body, body.age_ms.metadata)
  }),
)
