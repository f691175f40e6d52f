import { Clock, Effect, Option } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import type { RewardsQuery } from "#src/upstream/clob/model.ts"
import { Api } from "../Api.ts"
import { CachedAnswers } from "../caching/CachedAnswers.ts"
import { NotFound } from "../server/errors.ts"
import { Rewards } from "./shapes.ts"
import { refusal, shownRewards, venueFailed } from "./translate.ts"

const lifetime = { freshFor: 30_000, staleFor: 600_000 }

interface Given {
  readonly sponsored?: "true" | "false"
  readonly next_cursor?: string
}

const queryOf = ({ sponsored, next_cursor }: Given, condition?: string): RewardsQuery => ({
  condition: condition?.slice(2),
  sponsored: sponsored === "true",
  cursor: next_cursor,
})

const noMarket = new NotFound({
  error: "Not found.",
  hint: "The venue's order books have no market with this condition.",
})

const orFail =
  <E>(failure: E) =>
  <A>(found: Option.Option<A>) =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(failure)

export const RewardsHandlers = HttpApiBuilder.group(
  Api,
  "rewards",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* CachedAnswers
    const clob = yield* ClobRest

    const load = Effect.fnUntraced(function* (query: RewardsQuery) {
      const start = yield* Clock.currentTimeMillis
      const page = yield* Effect.catch(clob.rewards(query), (failure) => refusal(failure, query))
      const now = yield* Clock.currentTimeMillis
      return Option.map(page, (found) => ({ value: shownRewards(found, start, now), dataAt: now }))
    })
    const keyOf = (query: RewardsQuery) => JSON.stringify([query.condition ?? "", query.sponsored, query.cursor ?? ""])

    return handlers
      .handleRaw(
        "markets",
        answers.handler({
          name: "rewards",
          schema: Rewards,
          ...lifetime,
          key: ({ query }) => keyOf(queryOf(query)),
          load: ({ query }) => Effect.flatMap(load(queryOf(query)), orFail(venueFailed)),
        }),
      )
      .handleRaw(
        "market",
        answers.handler({
          name: "market-rewards",
          schema: Rewards,
          ...lifetime,
          key: ({ params, query }) => keyOf(queryOf(query, params.condition_id)),
          load: ({ params, query }) => Effect.flatMap(load(queryOf(query, params.condition_id)), orFail(noMarket)),
        }),
      )
  }),
)
