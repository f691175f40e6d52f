import { Context, Effect, Layer, Result, Schedule, Schema } from "effect"
import type { CatalogueEvent, Closing, League, Market, Profile, Series, Tag, Team } from "#src/domain/Catalogue.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { toClosing, toLeague, toMarket, toProfile, toSeries, toTag, toTeam } from "./decode.ts"
import { type Rows, readEvents, readRows, reportSkipped } from "./rows.ts"
import { WireClosing, WireMarket, WireProfile, WireSeries, WireSport, WireTag, WireTeam } from "./wire.ts"

/** A page of a list. `whole` is false if undecodable rows were skipped. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | undefined
  readonly whole: boolean
}

/** Selects events; by default in ascending order of id. */
export interface EventQuery {
  readonly closed?: boolean
  readonly order?: "startDate" | "endDate" | "closedTime"
  readonly ascending?: boolean
  readonly ids?: ReadonlyArray<number>
  readonly slugs?: ReadonlyArray<string>
  readonly series?: number
  /** Only events whose end date is later. */
  readonly endsAfter?: number
}

export interface PageOptions {
  readonly limit: number
  readonly after?: string | undefined
}

type Params = ReadonlyArray<readonly [string, string]>
type Fetched<A> = Effect.Effect<A, UpstreamFailure>
type Reader<W, A> = (response: W) => Effect.Effect<Rows<A>>

/** Most ids in one request: the length of the URL and the size of a page are limited. */
export const maxKeys = 100
/** The venue rejects larger offsets. */
const maxOffset = 2_000

const UnknownRows = Schema.Array(Schema.Unknown)
const EventPage = Schema.Struct({ events: UnknownRows, next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
const MarketPage = Schema.Struct({
  markets: UnknownRows,
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const MarketTypes = Schema.Struct({ marketTypes: Schema.Array(Schema.String) })

const readMarkets = readRows("market", WireMarket, (wire) => toMarket(wire, null))
const readClosings = readRows("closed market", WireClosing, toClosing)
const readSeries = readRows("series", WireSeries, toSeries)
const readTags = readRows("tag", WireTag, toTag)
const readTeams = readRows("team", WireTeam, toTeam)
const readLeagues = readRows("sport", WireSport, toLeague)

const decimal = (hex: string | number) => BigInt(`0x${hex}`).toString()

/** Conditions and tokens are hexadecimal digits. Positions are the tokens of newer markets. */
const marketKeys = {
  id: { name: "id", write: String },
  token: { name: "clob_token_ids", write: decimal },
  position: { name: "position_ids", write: decimal },
  condition: { name: "condition_ids", write: (hex: string | number) => `0x${hex}` },
} as const
export type MarketKey = keyof typeof marketKeys

const param = (name: string, value: string | number | boolean | undefined): Params =>
  value === undefined ? [] : [[name, String(value)]]
const listParam = (name: string, values: ReadonlyArray<string | number> = []): Params =>
  values.map((value) => [name, String(value)])

const eventParams = ({ closed, order, ascending, ids, slugs, series, endsAfter }: EventQuery): Params => [
  ...param("closed", closed),
  ...param("order", order),
  ...param("ascending", ascending),
  ...listParam("id", ids),
  ...listParam("slug", slugs),
  ...param("series_id", series),
  ...param("end_date_min", endsAfter === undefined ? undefined : new Date(endsAfter).toISOString()),
]

/** At least half of the rows of a response are undecodable. */
class MostlyUndecodable extends Schema.TaggedError<MostlyUndecodable>()("MostlyUndecodable", {
  detail: Schema.String,
}) {}

const malformed = (detail: string) => new UpstreamFailure({ upstream: "gamma", reason: "malformed", detail })

/** The venue's catalogue. */
export class Gamma extends Context.Service<
  Gamma,
  {
    readonly events: (query: EventQuery, page: PageOptions) => Fetched<Page<CatalogueEvent>>
    /** Closed markets whose end date is later than `endsAfter`, newest first. */
    readonly closings: (endsAfter: number, page: PageOptions) => Fetched<Page<Closing>>
    /** Open and closed markets by key; at most `maxKeys`. */
    readonly markets: (by: MarketKey, keys: ReadonlyArray<string | number>) => Fetched<Page<Market>>
    readonly series: Fetched<Page<Series>>
    readonly tags: Fetched<Page<Tag>>
    readonly teams: Fetched<Page<Team>>
    readonly leagues: Fetched<Page<League>>
    readonly marketTypes: Fetched<ReadonlyArray<string>>
    readonly profile: (address: string) => Fetched<Profile>
  }
>()("presage/upstream/Gamma") {
  static readonly layer = Layer.effect(
    Gamma,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { gamma } = yield* Endpoints
      const addressOf = (path: string, params: Params) =>
        `${gamma}${path}${params.length === 0 ? "" : `?${new URLSearchParams(params.map(([key, value]): [string, string] => [key, value]))}`}`

      const get = <A>(path: string, params: Params, schema: Schema.Decoder<A>) =>
        http.decoded("gamma", schema, { url: addressOf(path, params) })

      /**
       * A garbled response is usually correct the next time, so undecodable rows are requested once more. A mostly undecodable
       * response is retried as a whole, because its decodable rows may be wrong too.
       */
      const rowsOf = <W, A>(path: string, params: Params, schema: Schema.Decoder<W>, read: Reader<W, A>) => {
        const once = Effect.gen(function* () {
          const response = yield* get(path, params, schema)
          const rows = yield* read(response)
          return rows.bad.length > 0 && rows.bad.length >= rows.good.length
            ? yield* new MostlyUndecodable({ detail: `${path}: ${rows.bad.length} rows: ${rows.bad[0]?.reason}` })
            : { response, rows }
        })
        return once.pipe(
          Effect.flatMap((first) =>
            first.rows.bad.length === 0
              ? Effect.succeed(first)
              : Effect.map(Effect.result(once), (second) =>
                  Result.isSuccess(second) && second.success.rows.bad.length < first.rows.bad.length
                    ? second.success
                    : first,
                ),
          ),
          Effect.retry({
            times: 3,
            schedule: Schedule.jittered(Schedule.exponential("100 millis")),
            while: ({ _tag }) => _tag === "MostlyUndecodable",
          }),
          Effect.catchTag("MostlyUndecodable", ({ detail }) => Effect.fail(malformed(detail))),
          Effect.tap(({ rows }) => reportSkipped(rows.bad)),
        )
      }

      const pageOf = <W extends { readonly next_cursor?: string | null }, A>(
        path: string,
        params: Params,
        { limit, after }: PageOptions,
        schema: Schema.Decoder<W>,
        read: Reader<W, A>,
      ): Fetched<Page<A>> =>
        Effect.map(
          rowsOf(path, [...params, ...param("limit", limit), ...param("after_cursor", after)], schema, read),
          ({ response, rows }) => ({
            items: rows.good,
            next: response.next_cursor || undefined,
            whole: rows.bad.length === 0,
          }),
        )

      /** All pages of a list that is paged by offset, up to the venue's limit. */
      const fetchList = <A>(
        path: string,
        params: Params,
        size: number,
        read: Reader<ReadonlyArray<unknown>, A>,
      ): Fetched<Page<A>> =>
        Effect.gen(function* () {
          const items: Array<A> = []
          let whole = true
          for (let offset = 0; offset <= maxOffset; offset += size) {
            const page = [...params, ...param("limit", size), ...param("offset", offset)]
            const { response, rows } = yield* rowsOf(path, page, UnknownRows, read)
            items.push(...rows.good)
            whole &&= rows.bad.length === 0
            if (response.length < size) return { items, next: undefined, whole }
          }
          return { items, next: undefined, whole: false }
        })

      const marketsBy = (name: string, keys: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const items: Array<Market> = []
          let whole = true
          // Without the parameter the venue leaves out closed markets.
          for (const closed of [false, true]) {
            const params = [...listParam(name, keys), ...param("closed", closed), ...param("include_tag", true)]
            const page = yield* pageOf("/markets/keyset", params, { limit: maxKeys }, MarketPage, ({ markets }) =>
              readMarkets(markets),
            )
            items.push(...page.items)
            whole &&= page.whole
          }
          return { items, next: undefined, whole }
        })

      return Gamma.of({
        events: (query, page) =>
          pageOf("/events/keyset", eventParams(query), page, EventPage, ({ events }) => readEvents(events)),
        closings: (endsAfter, page) => {
          const params = [
            ...param("closed", true),
            ...param("order", "closedTime"),
            ...param("ascending", false),
            ...param("end_date_min", new Date(endsAfter).toISOString()),
          ]
          return pageOf("/markets/keyset", params, page, MarketPage, ({ markets }) => readClosings(markets))
        },
        markets: (by, keys) => marketsBy(marketKeys[by].name, keys.map(marketKeys[by].write)),
        series: fetchList("/series", param("exclude_events", true), 50, readSeries),
        tags: fetchList("/tags", [], 100, readTags),
        teams: fetchList("/teams", [], 100, readTeams),
        leagues: Effect.map(rowsOf("/sports", [], UnknownRows, readLeagues), ({ rows }) => ({
          items: rows.good,
          next: undefined,
          whole: rows.bad.length === 0,
        })),
        marketTypes: Effect.map(get("/sports/market-types", [], MarketTypes), ({ marketTypes }) => marketTypes),
        profile: (address) =>
          Effect.map(get("/public-profile", param("address", `0x${address}`), WireProfile), toProfile),
      })
    }),
  )
}
