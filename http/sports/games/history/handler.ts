import { Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { History } from "#src/sports/History.ts"
import { CachedAnswers, type RawRequest } from "../../../caching/CachedAnswers.ts"
import type { BadInput, NotFound, Unavailable } from "../../../server/errors.ts"
import { limits } from "../../parameters.ts"
import { GameHistory } from "../../shapes.ts"
import { refusal } from "../../translate.ts"
import { findGame } from "../find.ts"
import { shownHistory } from "../translate.ts"
import { type HistoryInput, readHistory } from "./input.ts"

interface HistoryQuery extends HistoryInput {
  readonly limit_tokens?: number
}

interface HistoryOf<Params> extends RawRequest {
  readonly params: Params
  readonly query: HistoryQuery
}

const lifetime = { freshFor: 5_000, staleFor: 60_000 }

/** Makes the handler for one of the keys of a game; `name` is that of its cached answers. */
export const historyHandlers = Effect.gen(function* () {
  const histories = yield* History
  const answers = yield* CachedAnswers
  const find = yield* findGame

  const read = Effect.fnUntraced(function* (key: EventKey, { limit_tokens, ...input }: HistoryQuery) {
    const request = yield* readHistory(input)
    const found = yield* find(key)
    const limit = limit_tokens ?? limits.historyTokens.default
    const value = shownHistory(found, yield* Effect.catch(histories.of(found.value, limit, request), refusal))
    return { value, dataAt: found.at }
  })

  return <Params>(name: string, keyOf: (params: Params) => EventKey) =>
    answers.handler<HistoryOf<Params>, typeof GameHistory.Type, BadInput | NotFound | Unavailable>({
      name,
      schema: GameHistory,
      ...lifetime,
      key: ({ params, query }) => JSON.stringify([params, query]),
      load: ({ params, query }) => read(keyOf(params), query),
    })
})
