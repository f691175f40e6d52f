import { Clock, Context, Effect, Layer, Option } from "effect"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import type { BookSnapshot, LastTrade } from "#src/upstream/clob/model.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { BookCache, type PublishedDepth, staleMillis } from "./BookCache.ts"
import { type Depth, isToken, midOf, type PublishedBook, type Quote } from "./model.ts"

/** Somebody waits, and a book of a minute ago is better than none. */
const venueTimeout = "3 seconds"

const depthOf = ({ condition, bids, asks, tickSize, at }: BookSnapshot, now: number): Depth => ({
  condition,
  bids,
  asks,
  tickSize: tickSize ?? null,
  updatedAt: at ?? now,
})

const quoteOf = (book: BookSnapshot, trade: LastTrade | undefined, now: number): Quote => {
  const [bid, ask] = [book.bids[0]?.price ?? null, book.asks[0]?.price ?? null]
  const price = trade?.price ?? book.lastTradePrice
  return {
    bid,
    ask,
    mid: midOf(bid, ask),
    spread: bid === null || ask === null ? null : ask - bid,
    lastTrade: price === undefined ? null : { price, side: trade?.side ?? null, size: null, at: null },
    tickSize: book.tickSize ?? null,
    updatedAt: book.at ?? now,
  }
}

/** A book, and when it was last known to be the venue's. */
export interface DatedBook {
  readonly depth: Depth
  /** A shard that follows the book, or the venue itself. */
  readonly source: "shard" | "venue"
  readonly checkedAt: number
  readonly isStale: boolean
}

/** Order books for readers: from the shard that follows a token, else from the venue. */
export class Books extends Context.Service<
  Books,
  {
    /** Requests that a shard follows these tokens for the next minute. */
    readonly request: (tokens: Iterable<string>) => Effect.Effect<void, RedisFailure>
    /** Tokens without a book are left out. */
    readonly quotes: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, Quote>, UpstreamFailure>
    readonly book: (token: string) => Effect.Effect<Option.Option<Depth>, UpstreamFailure>
    /** As `book`; while the venue does not answer, a book that a shard followed until a minute ago. */
    readonly dated: (token: string) => Effect.Effect<Option.Option<DatedBook>, UpstreamFailure>
    /** Full books of the tokens that a shard follows, to be updated by `followChanges`. */
    readonly fullBooks: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, PublishedBook>, RedisFailure>
    /** All tokens with a book in Redis. */
    readonly heldTokens: Effect.Effect<ReadonlyArray<string>, RedisFailure>
  }
>()("presage/books/Books") {
  static readonly layer = Layer.effect(
    Books,
    Effect.gen(function* () {
      const cache = yield* BookCache
      const rest = yield* ClobRest

      const fromVenue = (tokens: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const [books, trades] = yield* Effect.all([rest.books(tokens), rest.lastTrades(tokens)], { concurrency: 2 })
          const now = yield* Clock.currentTimeMillis
          return books.map((book) => [book.token, quoteOf(book, trades.get(book.token), now)] as const)
        })

      const dated = Effect.fn("Books.dated")(function* (token: string) {
        if (!isToken(token)) return Option.none<DatedBook>()
        const cached = yield* Effect.orElseSucceed(cache.lastDepth(token), Option.none<PublishedDepth>)
        const now = yield* Clock.currentTimeMillis
        const followed = Option.map(
          cached,
          ({ depth, at }): DatedBook => ({ depth, source: "shard", checkedAt: at, isStale: now - at > staleMillis }),
        )
        if (Option.isSome(followed) && !followed.value.isStale) return followed
        return yield* rest.book(token).pipe(
          Effect.timeoutOrElse({
            duration: venueTimeout,
            orElse: () =>
              Effect.fail(new UpstreamFailure({ upstream: "clob", reason: "timeout", detail: "no book in time" })),
          }),
          Effect.flatMap((book) =>
            Effect.map(
              Clock.currentTimeMillis,
              (checkedAt): Option.Option<DatedBook> =>
                Option.map(book, (shown) => ({
                  depth: depthOf(shown, checkedAt),
                  source: "venue",
                  checkedAt,
                  isStale: false,
                })),
            ),
          ),
          Effect.catch((failure) => (Option.isSome(followed) ? Effect.succeed(followed) : Effect.fail(failure))),
        )
      })

      return Books.of({
        request: Effect.fn("Books.request")(cache.request),
        fullBooks: Effect.fn("Books.fullBooks")(cache.fullBooks),
        heldTokens: Effect.withSpan(cache.heldTokens, "Books.heldTokens"),
        quotes: Effect.fn("Books.quotes")(function* (tokens: Iterable<string>) {
          const all = [...new Set(tokens)].filter(isToken)
          // Falls back to the venue if Redis is unavailable.
          const cached = yield* Effect.orElseSucceed(cache.quotes(all), () => new Map<string, Quote>())
          const missing = all.filter((token) => !cached.has(token))
          return missing.length === 0 ? cached : new Map([...cached, ...(yield* fromVenue(missing))])
        }),
        book: Effect.fn("Books.book")((token) =>
          Effect.map(
            dated(token),
            Option.map(({ depth }) => depth),
          ),
        ),
        dated,
      })
    }),
  )
}
