import { Clock, Effect, Layer } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { FollowedBook } from "#src/books/FollowedBook.ts"
import { Publication } from "#src/books/Publication.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import type { Subscribe } from "#src/streams/protocol/client.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { upstreamsAt } from "#test/support/venue.ts"
import { makeBookChannel } from "#ws/books/BookChannel.ts"
import type { BookClient } from "./bookClient.ts"
import type { Listing } from "./listings.ts"
import { makeRecorders, type Recorder } from "./recordingSubscriber.ts"

export const services = Layer.merge(Books.layer, MarketLookup.layer).pipe(
  Layer.provideMerge(BookCache.layer),
  Layer.provide(ClobRest.layer),
  // Nothing listens there: all books come from Redis.
  Layer.provide(upstreamsAt("http://127.0.0.1:9")),
  Layer.provideMerge(testFoundation({ "books.shards": "1" })),
)

export const count = 300
export const market = (id: number): Listing => ({
  id,
  slug: `rain-${id}`,
  event: `weather-${Math.floor(id / 3)}`,
  condition: `0x${(0xabc0000 + id).toString(16).padStart(64, "0")}`,
  tokens: [String(1_000_000 + id * 2), String(1_000_001 + id * 2)],
})
export const markets = Array.from({ length: count }, (_, id) => market(id))
export const tokensOf = (...ids: ReadonlyArray<number>) => ids.flatMap((id) => market(id).tokens)
export const allTokens = markets.flatMap(({ tokens }) => tokens)

let epochs = 10n
/** A shard whose books are set by the test. */
export const makeShard = Effect.gen(function* () {
  const cache = yield* BookCache
  const epoch = ++epochs
  const publication = new Publication(epoch)
  const books = new Map<string, FollowedBook>()
  let [number, at] = [0, 1]
  const publish = (tokens: Iterable<string>) =>
    Effect.gen(function* () {
      const next = [...tokens].map((token) => publication.next(token, books.get(token)))
      const heardAt = yield* Clock.currentTimeMillis
      const isFresh = yield* cache.publish(0, { epoch, number: ++number, heardAt, books: next })
      publication.confirm(next)
      return isFresh
    })
  const set = (token: string, bid: number, size: number) => {
    const book = books.get(token) ?? new FollowedBook()
    books.set(token, book)
    book.install(
      {
        token,
        condition: "ab",
        at: ++at,
        hash: "",
        bids: [
          { price: bid, size },
          { price: bid - 10_000, size: 1_500_000 },
        ],
        asks: [{ price: 900_000, size: 2_000_000 }],
        tickSize: 10_000,
        minOrderSize: undefined,
        lastTradePrice: undefined,
      },
      at,
    )
  }
  const trade = (token: string, size: number) =>
    books.get(token)?.applyTrade(
      {
        kind: "trade",
        at: size,
        token,
        price: 410_000,
        size,
        side: "sell",
        feeRate: "0",
        transaction: `0x${size}`,
      },
      size,
    )
  return { publish, set, trade, books, epoch: String(epoch) }
})

export const subscribe = (message: Omit<Subscribe, "action" | "type">): Subscribe => ({
  action: "subscribe",
  type: "orderbook",
  ...message,
})

export const last = (recorder: Recorder, type: string) =>
  recorder.received.findLast((message) => message["type"] === type)
export const typesOf = (recorder: Recorder) => recorder.received.map(({ type }) => type)

export const opened = Effect.gen(function* () {
  const recorders = makeRecorders()
  const channel = yield* makeBookChannel(recorders.publisher)
  const shard = yield* makeShard
  const reaches = (client: BookClient, token: string, size: string) =>
    eventually(
      `the client has ${size}`,
      Effect.sync(() => {
        client.applyAll()
        return client.bids(token)[0]?.size === size
      }),
    )
  return { recorders, channel, shard, reaches }
})
