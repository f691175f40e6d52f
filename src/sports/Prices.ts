import { Clock, Context, Effect, Layer } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { midOf, type Quote } from "#src/books/model.ts"
import { growingCache } from "#src/platform/growingCache.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import type { SportsMarket } from "./model.ts"

/** Best first: our own order books, the venue's, and what its catalogue last said. */
const priceSources = ["books", "clob", "catalogue"] as const
export type PriceSource = (typeof priceSources)[number]

/** In 10⁻⁶; null where there is no order. */
export interface TokenQuote extends Pick<Quote, "bid" | "ask" | "mid" | "spread"> {
  readonly token: string
  readonly outcome: string
  readonly market: SportsMarket
  readonly source: PriceSource
}

export interface GamePrices {
  readonly quotes: ReadonlyArray<TokenQuote>
  /** All tokens of the game, with those beyond the limit. */
  readonly total: number
  /** The worst source of any quote; null without quotes. */
  readonly source: PriceSource | null
  /** As of when the worst source knows, in milliseconds. */
  readonly at: number
}

/** Somebody waits for it. */
const venueTimeout = "2 seconds"
/** A request for a book holds for a minute. One that is not followed is requested again soon: its request may be lost. */
const requestAgainMillis = { followed: 20_000, missing: 2_000 }
const mostRequested = 50_000
/** After a failure nobody waits for the venue for this long. */
const pauseMillis = 3_000

type Sides = Pick<Quote, "bid" | "ask" | "mid" | "spread">

const sidesOf = (bid: number | null, ask: number | null): Sides => ({
  bid,
  ask,
  mid: midOf(bid, ask),
  spread: bid === null || ask === null ? null : ask - bid,
})

const opposite = (price: number | null) => (price === null ? null : 1_000_000 - price)

/** The catalogue has the best prices of the first outcome; a bid for one outcome is an offer of the other. */
const listedSides = ({ bestBid, bestAsk, outcomes }: SportsMarket, outcome: number): Sides => {
  if (outcome === 0) return sidesOf(bestBid, bestAsk)
  return outcomes.length === 2 ? sidesOf(opposite(bestAsk), opposite(bestBid)) : sidesOf(null, null)
}

const none = sidesOf(null, null)

/** Current prices of all tokens of a game. */
export class Prices extends Context.Service<
  Prices,
  {
    /** `listedAt`: as of when the catalogue's prices are known. */
    readonly of: (
      markets: ReadonlyArray<SportsMarket>,
      limit: number,
      listedAt: number | undefined,
    ) => Effect.Effect<GamePrices>
  }
>()("presage/sports/Prices") {
  static readonly layer = Layer.effect(
    Prices,
    Effect.gen(function* () {
      const cache = yield* BookCache
      const rest = yield* ClobRest

      let pausedUntil = 0
      const pause = Effect.map(Clock.currentTimeMillis, (now) => {
        pausedUntil = now + pauseMillis
      })

      const ofVenue = (tokens: ReadonlyArray<string>, now: number) =>
        tokens.length === 0 || now < pausedUntil
          ? Effect.succeed(tokens.length === 0 ? new Map<string, Sides>() : undefined)
          : rest.books(tokens).pipe(
              Effect.timeout(venueTimeout),
              Effect.map(
                (books) =>
                  new Map(
                    books.map(({ token, bids, asks }) => [
                      token,
                      sidesOf(bids[0]?.price ?? null, asks[0]?.price ?? null),
                    ]),
                  ),
              ),
              Effect.tapError((failure) =>
                Effect.andThen(Effect.logDebug(`prices of the venue: ${failure.message}`), pause),
              ),
              Effect.orElseSucceed(() => undefined),
            )

      const requested = growingCache<string, number>(mostRequested)
      /** Requests the books, so that the next answer comes from our own ones. */
      const follow = Effect.fnUntraced(function* (tokens: ReadonlyArray<string>, followed: ReadonlyMap<string, Quote>) {
        const now = yield* Clock.currentTimeMillis
        const due = tokens.filter((token) => {
          const pause = requestAgainMillis[followed.has(token) ? "followed" : "missing"]
          return Math.abs(now - (requested.get(token) ?? 0)) > pause
        })
        if (due.length === 0) return
        yield* cache.request(due)
        for (const token of due) requested.set(token, now)
      })

      return Prices.of({
        of: Effect.fn("Prices.of")(function* (markets, limit, listedAt) {
          const all = markets.flatMap((market) => market.tokens.map((token, outcome) => ({ token, outcome, market })))
          const shown = all.slice(0, limit)
          // There are no orders for shares that are settled.
          const open = shown.flatMap(({ token, market }) => (market.closed ? [] : [token]))
          const followed = yield* Effect.orElseSucceed(cache.quotes(open), () => new Map<string, Quote>())
          const venue = yield* ofVenue(
            open.filter((token) => !followed.has(token)),
            yield* Clock.currentTimeMillis,
          )
          yield* Effect.ignore(follow(open, followed))
          const quotes = shown.map(({ token, outcome, market }): TokenQuote => {
            const named = { token, outcome: market.outcomes[outcome] ?? "", market }
            const own = followed.get(token)
            if (own !== undefined) return { ...named, ...sidesOf(own.bid, own.ask), source: "books" }
            if (market.closed) return { ...named, ...none, source: "catalogue" }
            if (venue !== undefined) return { ...named, ...(venue.get(token) ?? none), source: "clob" }
            return { ...named, ...listedSides(market, outcome), source: "catalogue" }
          })
          const used = new Set(quotes.filter(({ market }) => !market.closed).map(({ source }) => source))
          const now = yield* Clock.currentTimeMillis
          return {
            quotes,
            total: all.length,
            source: priceSources.findLast((source) => used.has(source)) ?? (quotes.length === 0 ? null : "catalogue"),
            at: used.has("catalogue") ? (listedAt ?? 0) : now,
          }
        }),
      })
    }),
  )
}
