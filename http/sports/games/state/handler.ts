import { Clock, Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { History } from "#src/sports/History.ts"
import { Listings } from "#src/sports/Listings.ts"
import { Prices } from "#src/sports/Prices.ts"
import { marketsOf } from "#src/sports/score.ts"
import { limits } from "../../parameters.ts"
import { refusal } from "../../translate.ts"
import { gameHandlers, whileInPlay } from "../cached.ts"
import { findGame } from "../find.ts"
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
  return Effect.fnUntraced(function* (key: EventKey, input: StateInput = {}, ws: string) {
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
    const now = yield* Clock.currentTimeMillis
    return { value: shownState(found, quoted, history, ws, now), dataAt: found.at }
  })
})

export const stateHandlers = Effect.gen(function* () {
  const handlers = yield* gameHandlers
  return handlers("sports-state", whileInPlay, yield* gameState)
})
