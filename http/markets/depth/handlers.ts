import { Clock, Effect, Option } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Books, type DatedBook } from "#src/books/Books.ts"
import { Markets } from "#src/markets/Markets.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { Api } from "../../Api.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { objectAnswers } from "../../v3/objects.ts"
import { refusal } from "../translate.ts"
import { levelLimit } from "./group.ts"
import { type depthStates, quoteSides } from "./shapes.ts"
import { shownBook } from "./translate.ts"

const noSize = new BadInput({
  error: "`side` needs `size_usd`.",
  param: "side",
  hint: "Add the dollars that the order pays or receives: size_usd=100.",
})

const noVenue = (failure: UpstreamFailure) =>
  Effect.andThen(
    Effect.logWarning(`depth: ${failure.message}`),
    new Unavailable({
      error: "The venue does not answer, and nobody has followed this order book in the last minute.",
      hint: "Try again. GET /v3/markets/{token_id}/price has the last known price.",
    }),
  )

const stateOf = (isResolved: boolean, book: DatedBook | undefined): (typeof depthStates)[number] => {
  if (isResolved) return "resolved"
  if (book === undefined) return "no_book"
  return book.isStale ? "stale" : "live"
}

export const DepthHandlers = HttpApiBuilder.group(
  Api,
  "depth",
  Effect.fnUntraced(function* (handlers) {
    const markets = yield* Markets
    const books = yield* Books
    const object = yield* objectAnswers
    return handlers.handle("depth", ({ params: { token_id }, query }) =>
      Effect.gen(function* () {
        const { size_usd: size, side, levels = levelLimit.default } = query
        if (side !== undefined && size === undefined) return yield* noSize
        const read = Effect.gen(function* () {
          const { found, asOf } = yield* Effect.catch(markets.token(token_id), refusal)
          const { isResolved, market } = found.token
          // Orders for shares that are settled mean nothing.
          const book = isResolved
            ? undefined
            : Option.getOrUndefined(yield* Effect.catch(books.dated(token_id), noVenue))
          const now = yield* Clock.currentTimeMillis
          const sides = side === undefined ? quoteSides : [side]
          const status = stateOf(isResolved, book)
          const shown = shownBook(book, { levels, size, sides, now })
          return { body: { token_id, condition_id: market.condition, status, ...shown }, asOf }
        })
        return yield* object("facts", read)
      }),
    )
  }),
)
