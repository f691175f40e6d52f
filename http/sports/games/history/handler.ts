import { Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { History } from "#src/sports/History.ts"
import { limits } from "../../parameters.ts"
import { GameHistory } from "../../shapes.ts"
import { refusal } from "../../translate.ts"
import { gameHandlers } from "../cached.ts"
import { findGame } from "../find.ts"
import { shownHistory } from "../translate.ts"
import { type HistoryInput, readHistory } from "./input.ts"

interface HistoryQuery extends HistoryInput {
  readonly limit_tokens?: number
}

const lifetime = { freshFor: 5_000, staleFor: 60_000 }

export const historyHandlers = Effect.gen(function* () {
  const histories = yield* History
  const handlers = yield* gameHandlers
  const find = yield* findGame

  const read = Effect.fnUntraced(function* (key: EventKey, { limit_tokens, ...input }: HistoryQuery = {}) {
    const request = yield* readHistory(input)
    const found = yield* find(key)
    const limit = limit_tokens ?? limits.historyTokens.default
    const value = shownHistory(found, yield* Effect.catch(histories.of(found.value, limit, request), refusal))
    return { value, dataAt: found.at }
  })
  return handlers("sports-history", { schema: GameHistory, ...lifetime }, read)
})
