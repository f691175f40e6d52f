import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import type { UpstreamFailure } from "../UpstreamFailure.ts"
import { readBook, WireBook } from "./bookWire.ts"
import { known } from "./decimal.ts"
import type {
  BookSnapshot,
  ClobMarket,
  HistoryPoint,
  HistoryWindow,
  LastTrade,
  MarketRewards,
  Prices,
} from "./model.ts"
import { readableRows } from "./readableRows.ts"
import * as wire from "./restWire.ts"

type Asked<A> = Effect.Effect<A, UpstreamFailure>
/** None where the venue knows no such token or market, or has no book of it any more. */
type Found<A> = Asked<Option.Option<A>>
type ByToken<A> = Asked<ReadonlyMap<string, A>>

/** How much the venue takes in one request. */
const mostTokens = 500
const mostHistories = 20
const noMorePages = "LTE="

const chunksOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

const windowQuery = ({ interval, from, to, stepMinutes }: HistoryWindow, [start, end]: readonly [string, string]) => ({
  ...(interval === undefined ? {} : { interval }),
  ...(from === undefined ? {} : { [start]: Math.floor(from / 1000) }),
  ...(to === undefined ? {} : { [end]: Math.floor(to / 1000) }),
  ...(stepMinutes === undefined ? {} : { fidelity: stepMinutes }),
})

/** The order books over HTTP. What is asked of many tokens leaves out those without a book. */
export class ClobRest extends Context.Service<
  ClobRest,
  {
    readonly book: (token: string) => Found<BookSnapshot>
    readonly books: (tokens: ReadonlyArray<string>) => Asked<ReadonlyArray<BookSnapshot>>
    readonly price: (token: string, side: "bid" | "ask") => Found<number>
    readonly prices: (tokens: ReadonlyArray<string>) => ByToken<Prices>
    readonly midpoint: (token: string) => Found<number>
    readonly midpoints: (tokens: ReadonlyArray<string>) => ByToken<number>
    readonly spread: (token: string) => Found<number>
    readonly spreads: (tokens: ReadonlyArray<string>) => ByToken<number>
    readonly lastTrade: (token: string) => Found<LastTrade>
    readonly lastTrades: (tokens: ReadonlyArray<string>) => ByToken<LastTrade>
    readonly history: (token: string, window: HistoryWindow) => Asked<ReadonlyArray<HistoryPoint>>
    readonly histories: (tokens: ReadonlyArray<string>, window: HistoryWindow) => ByToken<ReadonlyArray<HistoryPoint>>
    readonly market: (condition: string) => Found<ClobMarket>
    /** All markets whose makers are rewarded at the moment. */
    readonly rewards: Stream.Stream<MarketRewards, UpstreamFailure>
    /** Milliseconds, to the second. */
    readonly time: Asked<number>
  }
>()("presage/upstream/clob/ClobRest") {
  static readonly layer = Layer.effect(
    ClobRest,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { clob } = yield* Endpoints

      const get = <A>(path: string, query: Readonly<Record<string, string | number>>, schema: Schema.Decoder<A>) => {
        const search = new URLSearchParams(
          Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
        )
        return http.decoded("clob", schema, { url: `${clob}${path}${search.size === 0 ? "" : `?${search}`}` })
      }
      const post = <A>(path: string, body: unknown, schema: Schema.Decoder<A>) =>
        http.decoded("clob", schema, { url: `${clob}${path}`, body })

      const orNone = <A>(asked: Asked<A>): Found<A> =>
        asked.pipe(
          Effect.map(Option.some),
          Effect.catch((failure) => (failure.status === 404 ? Effect.succeedNone : Effect.fail(failure))),
        )
      const present = <A>(found: Found<A | undefined>): Found<A> =>
        Effect.map(found, Option.flatMap(Option.fromUndefinedOr))

      /** As many requests as it takes, four at a time. */
      const inParts = <A, B>(items: ReadonlyArray<A>, size: number, ask: (part: ReadonlyArray<A>) => Asked<B>) =>
        Effect.forEach(chunksOf(items, size), ask, { concurrency: 4 })
      const named = (tokens: ReadonlyArray<string>) => tokens.map((token) => ({ token_id: token }))
      const byToken = (path: string) => (tokens: ReadonlyArray<string>) =>
        Effect.map(
          inParts(tokens, mostTokens, (part) => post(path, named(part), wire.WireByToken)),
          (parts) =>
            new Map(
              parts.flatMap((part) =>
                Object.entries(part).flatMap(([token, value]) => (value === "" ? [] : [[token, value] as const])),
              ),
            ),
        )
      const rowsOf = (path: string, tokens: ReadonlyArray<string>) =>
        Effect.map(
          inParts(tokens, mostTokens, (part) => post(path, named(part), Schema.Array(Schema.Unknown))),
          (parts) => parts.flat(),
        )

      return ClobRest.of({
        book: (token) => orNone(Effect.map(get("/book", { token_id: token }, WireBook), readBook)),
        books: (tokens) =>
          rowsOf("/books", tokens).pipe(
            Effect.flatMap((rows) => readableRows("book", WireBook, rows)),
            Effect.map((books) => books.map(readBook)),
          ),
        price: (token, side) =>
          orNone(
            Effect.map(
              // Whoever asks for the price to buy at is told the best bid.
              get("/price", { token_id: token, side: side === "bid" ? "BUY" : "SELL" }, wire.WirePrice),
              ({ price }) => price,
            ),
          ),
        prices: (tokens) =>
          Effect.map(
            inParts(tokens, mostTokens / 2, (part) => {
              const asks = part.flatMap((token) => ["BUY", "SELL"].map((side) => ({ token_id: token, side })))
              return post("/prices", asks, wire.WirePrices)
            }),
            (parts) =>
              new Map(
                parts.flatMap((part) =>
                  Object.entries(part).map(
                    ([token, { BUY, SELL }]) => [token, { bid: known(BUY), ask: known(SELL) }] as const,
                  ),
                ),
              ),
          ),
        midpoint: (token) =>
          present(orNone(Effect.map(get("/midpoint", { token_id: token }, wire.WireMidpoint), wire.readMidpoint))),
        midpoints: byToken("/midpoints"),
        spread: (token) =>
          present(
            orNone(Effect.map(get("/spread", { token_id: token }, wire.WireSpread), ({ spread }) => known(spread))),
          ),
        spreads: byToken("/spreads"),
        lastTrade: (token) =>
          present(
            orNone(
              Effect.map(get("/last-trade-price", { token_id: token }, wire.WireLastTrade), (trade) =>
                wire.readLastTrade(token, trade),
              ),
            ),
          ),
        lastTrades: (tokens) =>
          rowsOf("/last-trades-prices", tokens).pipe(
            Effect.flatMap((rows) => readableRows("last trade", wire.WireLastTradeOf, rows)),
            Effect.map((rows) => {
              const trades = rows.flatMap((row) => wire.readLastTrade(row.token_id, row) ?? [])
              return new Map(trades.map((trade) => [trade.token, trade]))
            }),
          ),
        history: (token, window) =>
          Effect.map(
            get("/prices-history", { market: token, ...windowQuery(window, ["startTs", "endTs"]) }, wire.WireHistory),
            ({ history }) => wire.readPoints(history),
          ),
        histories: (tokens, window) =>
          Effect.map(
            inParts(tokens, mostHistories, (part) =>
              post(
                "/batch-prices-history",
                { markets: part, ...windowQuery(window, ["start_ts", "end_ts"]) },
                wire.WireHistories,
              ),
            ),
            (parts) =>
              new Map(
                parts.flatMap(({ history }) =>
                  Object.entries(history).map(([token, points]) => [token, wire.readPoints(points)] as const),
                ),
              ),
          ),
        market: (condition) => orNone(Effect.map(get(`/markets/0x${condition}`, {}, wire.WireMarket), wire.readMarket)),
        rewards: Stream.paginate("", (cursor) =>
          Effect.gen(function* () {
            const query = cursor === "" ? {} : { next_cursor: cursor }
            const page = yield* get("/rewards/markets/current", query, wire.WirePage)
            const rows = yield* readableRows("rewards", wire.WireRewards, page.data)
            const next = page.next_cursor
            const isLast = next === noMorePages || next === cursor
            return [rows.map(wire.readRewards), isLast ? Option.none() : Option.some(next)] as const
          }),
        ),
        time: Effect.map(get("/time", {}, Schema.Int), (seconds) => seconds * 1000),
      })
    }),
  )
}
