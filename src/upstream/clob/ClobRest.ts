import { Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import { decodeRows } from "../decodeRows.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp, type UpstreamRequest } from "../Http.ts"
import type { UpstreamFailure } from "../UpstreamFailure.ts"
import { readBook, WireBook } from "./bookWire.ts"
import { known } from "./decimal.ts"
import type {
  BookSnapshot,
  ClobMarket,
  HistoryPoint,
  HistoryWindow,
  LastTrade,
  MakerRebate,
  Prices,
  RewardsPage,
  RewardsQuery,
} from "./model.ts"
import * as wire from "./restWire.ts"

type Fetched<A> = Effect.Effect<A, UpstreamFailure>
/** None if the venue does not know the token or market, or no longer has a book. */
type Found<A> = Fetched<Option.Option<A>>
type ByToken<A> = Fetched<ReadonlyMap<string, A>>

/** Limits of one request. */
const maxTokens = 500
const maxHistories = 20
const noMorePages = "LTE="

const windowQuery = ({ interval, from, to, stepMinutes }: HistoryWindow, [start, end]: readonly [string, string]) => ({
  ...(interval === undefined ? {} : { interval }),
  ...(from === undefined ? {} : { [start]: Math.floor(from / 1000) }),
  ...(to === undefined ? {} : { [end]: Math.floor(to / 1000) }),
  ...(stepMinutes === undefined ? {} : { fidelity: stepMinutes }),
})

/** The order books over HTTP. Results for many tokens leave out those without a book. */
export class ClobRest extends Context.Service<
  ClobRest,
  {
    readonly book: (token: string) => Found<BookSnapshot>
    readonly books: (tokens: ReadonlyArray<string>) => Fetched<ReadonlyArray<BookSnapshot>>
    readonly price: (token: string, side: "bid" | "ask") => Found<number>
    readonly prices: (tokens: ReadonlyArray<string>) => ByToken<Prices>
    readonly midpoint: (token: string) => Found<number>
    readonly midpoints: (tokens: ReadonlyArray<string>) => ByToken<number>
    readonly spread: (token: string) => Found<number>
    readonly spreads: (tokens: ReadonlyArray<string>) => ByToken<number>
    readonly lastTrade: (token: string) => Found<LastTrade>
    readonly lastTrades: (tokens: ReadonlyArray<string>) => ByToken<LastTrade>
    readonly history: (token: string, window: HistoryWindow) => Fetched<ReadonlyArray<HistoryPoint>>
    readonly histories: (tokens: ReadonlyArray<string>, window: HistoryWindow) => ByToken<ReadonlyArray<HistoryPoint>>
    readonly market: (condition: string) => Found<ClobMarket>
    /** Markets that currently reward makers. Asked once: somebody waits for it. */
    readonly rewards: (query: RewardsQuery) => Found<RewardsPage>
    /** What the venue gives a maker back of the fees of one day (UTC, YYYY-MM-DD). Asked once: somebody waits for it. */
    readonly rebates: (maker: string, date: string) => Fetched<ReadonlyArray<MakerRebate>>
    /** Milliseconds, to the second. */
    readonly time: Fetched<number>
  }
>()("presage/upstream/clob/ClobRest") {
  static readonly layer = Layer.effect(
    ClobRest,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { clob } = yield* Endpoints

      const get = <A>(
        path: string,
        query: Readonly<Record<string, string | number>>,
        schema: Schema.Decoder<A>,
        options: Pick<UpstreamRequest, "attempts"> = {},
      ) => {
        const search = new URLSearchParams(
          Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
        )
        const url = `${clob}${path}${search.size === 0 ? "" : `?${search}`}`
        return http.decoded("clob", schema, { url, ...options })
      }
      const post = <A>(path: string, body: unknown, schema: Schema.Decoder<A>) =>
        http.decoded("clob", schema, { url: `${clob}${path}`, body })

      const orNone = <A>(fetched: Fetched<A>): Found<A> =>
        fetched.pipe(
          Effect.map(Option.some),
          Effect.catch((failure) => (failure.status === 404 ? Effect.succeedNone : Effect.fail(failure))),
        )
      const present = <A>(found: Found<A | undefined>): Found<A> =>
        Effect.map(found, Option.flatMap(Option.fromUndefinedOr))

      /** Splits the items into requests, four at a time. */
      const inParts = <A, B>(items: ReadonlyArray<A>, size: number, fetch: (part: ReadonlyArray<A>) => Fetched<B>) =>
        Effect.forEach(Arr.chunksOf(items, size), fetch, { concurrency: 4 })
      const tokenIds = (tokens: ReadonlyArray<string>) => tokens.map((token) => ({ token_id: token }))
      const byToken = (path: string) => (tokens: ReadonlyArray<string>) =>
        Effect.map(
          inParts(tokens, maxTokens, (part) => post(path, tokenIds(part), wire.WireByToken)),
          (parts) =>
            new Map(
              parts.flatMap((part) =>
                Object.entries(part).flatMap(([token, value]) => (value === "" ? [] : [[token, value] as const])),
              ),
            ),
        )
      const rowsOf = (path: string, tokens: ReadonlyArray<string>) =>
        Effect.map(
          inParts(tokens, maxTokens, (part) => post(path, tokenIds(part), Schema.Array(Schema.Unknown))),
          (parts) => parts.flat(),
        )

      return ClobRest.of({
        book: (token) => orNone(Effect.map(get("/book", { token_id: token }, WireBook), readBook)),
        books: (tokens) =>
          rowsOf("/books", tokens).pipe(
            Effect.flatMap((rows) => decodeRows("clob", "book", WireBook, rows)),
            Effect.map((books) => books.map(readBook)),
          ),
        price: (token, side) =>
          orNone(
            Effect.map(
              // The venue returns the best bid for BUY.
              get("/price", { token_id: token, side: side === "bid" ? "BUY" : "SELL" }, wire.WirePrice),
              ({ price }) => price,
            ),
          ),
        prices: (tokens) =>
          Effect.map(
            inParts(tokens, maxTokens / 2, (part) => {
              const sides = part.flatMap((token) => ["BUY", "SELL"].map((side) => ({ token_id: token, side })))
              return post("/prices", sides, wire.WirePrices)
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
            Effect.flatMap((rows) => decodeRows("clob", "last trade", wire.WireLastTradeOf, rows)),
            Effect.map((rows) => {
              const trades = rows.flatMap((row) => wire.readLastTrade(row.token_id ?? row.asset_id ?? "", row) ?? [])
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
            inParts(tokens, maxHistories, (part) =>
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
        rewards: ({ condition, sponsored, cursor }) =>
          Effect.gen(function* () {
            const query = {
              ...(sponsored && { sponsored: "true" }),
              ...(cursor !== undefined && { next_cursor: cursor }),
            }
            const path = `/rewards/markets/${condition === undefined ? "current" : `0x${condition}`}`
            const page = yield* get(path, query, wire.WirePage, { attempts: 1 })
            const rows = yield* decodeRows("clob", "rewards", wire.WireRewards, page.data)
            return { rewards: rows.map(wire.readRewards), next: page.next_cursor || noMorePages }
          }).pipe(orNone),
        rebates: (maker, date) =>
          Effect.map(
            get("/rebates/current", { date, maker_address: maker }, wire.WireRebates, { attempts: 1 }),
            wire.readRebates,
          ),
        time: Effect.map(get("/time", {}, Schema.Int), (seconds) => seconds * 1000),
      })
    }),
  )
}
