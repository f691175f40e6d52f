import { Effect } from "effect"
import { PriceWindows } from "#src/crypto/PriceWindows.ts"
import { PriceAnswer } from "#src/crypto/shapes.ts"
import { CachedAnswers } from "../../caching/CachedAnswers.ts"
import { BadInput, NotFound, Unavailable, unavailable } from "../../server/errors.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { CryptoGroup } from "../group.ts"

type PriceRequest = RequestOf<typeof CryptoGroup, "price">
const lifetime = { freshFor: 10_000, staleFor: 60_000 }
const storeFailed = unavailable("crypto")

const refusal = (
  failure: Effect.Error<ReturnType<PriceWindows["Service"]["window"]>>,
): Effect.Effect<never, BadInput | NotFound | Unavailable> => {
  if (failure._tag === "WrongWindow") {
    const { param, error, hint } = failure
    return Effect.fail(new BadInput({ error, param, hint }))
  }
  if (failure._tag === "PricesLate") {
    const hint = "GET /v1/status shows the state of its source. Try again in a few seconds."
    return Effect.fail(new Unavailable({ error: failure.message, hint }))
  }
  if (failure._tag !== "UnknownWindow") return storeFailed(failure)
  return Effect.fail(new NotFound({ error: failure.error, hint: failure.hint }))
}

export const priceHandler = Effect.gen(function* () {
  const answers = yield* CachedAnswers
  const windows = yield* PriceWindows
  return answers.handler<PriceRequest, typeof PriceAnswer.Type, BadInput | NotFound | Unavailable>({
    name: "crypto-price",
    schema: PriceAnswer,
    ...lifetime,
    key: ({ query }) => `${query.symbol}:${query.interval ?? "5m"}:${query.window}`,
    load: ({ query: { symbol: coin, window, interval = "5m" } }) =>
      windows.window({ coin, window, interval }).pipe(
        Effect.map(({ value, ...dated }) => ({
          value: { ...value, cached: false },
          whenCached: { ...value, cached: true },
          ...dated,
        })),
        Effect.catch(refusal),
      ),
  })
})
