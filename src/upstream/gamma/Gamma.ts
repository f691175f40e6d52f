import { Context, Effect, Layer, Result, Schedule, Schema } from "effect"
import type { CatalogueEvent, Closing, League, Market, Profile, Series, Tag, Team } from "#src/domain/Catalogue.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { toClosing, toLeague, toMarket, toProfile, toSeries, toTag, toTeam } from "./decode.ts"
import { type Rows, readEvents, readRows, report } from "./rows.ts"
import { WireClosing, WireMarket, WireProfile, WireSeries, WireSport, WireTag, WireTeam } from "./wire.ts"

/** A part of a list. `whole` says that no row of it had to be passed over. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | undefined
  readonly whole: boolean
}

/** Which events, and in which order; by id upwards unless told. */
export interface EventQuery {
  readonly closed?: boolean
  readonly order?: "startDate" | "endDate" | "closedTime"
  readonly ascending?: boolean
  readonly ids?: ReadonlyArray<number>
  readonly slugs?: ReadonlyArray<string>
  readonly series?: number
  /** Those that are to end, or were, after a moment. */
  readonly endsAfter?: number
}

export interface PageOptions {
  readonly limit: number
  readonly after?: string | undefined
}

type Params = ReadonlyArray<readonly [string, string]>
type Asked<A> = Effect.Effect<A, UpstreamFailure>
type Reader<W, A> = (answer: W) => Effect.Effect<Rows<A>>

/** Longest lists of ids in one question: the address has a limit, and pages of markets have one. */
export const mostKeys = 100
/** Beyond it the venue refuses offsets. */
const furthestOffset = 2_000

const Listed = Schema.Array(Schema.Unknown)
const EventPage = Schema.Struct({ events: Listed, next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
const MarketPage = Schema.Struct({ markets: Listed, next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
const MarketTypes = Schema.Struct({ marketTypes: Schema.Array(Schema.String) })

const readMarkets = readRows("market", WireMarket, (wire) => toMarket(wire, null))
const readClosings = readRows("closed market", WireClosing, toClosing)
const readSeries = readRows("series", WireSeries, toSeries)
const readTags = readRows("tag", WireTag, toTag)
const readTeams = readRows("team", WireTeam, toTeam)
const readLeagues = readRows("sport", WireSport, toLeague)

const decimal = (hex: string | number) => BigInt(`0x${hex}`).toString()

/** Names on the chain are hexadecimal digits. Positions are the tokens of newer markets. */
const marketKeys = {
  id: { name: "id", write: String },
  token: { name: "clob_token_ids", write: decimal },
  position: { name: "position_ids", write: decimal },
  condition: { name: "condition_ids", write: (hex: string | number) => `0x${hex}` },
} as const
export type MarketKey = keyof typeof marketKeys

const given = (name: string, value: string | number | boolean | undefined): Params =>
  value === undefined ? [] : [[name, String(value)]]
const each = (name: string, values: ReadonlyArray<string | number> = []): Params =>
  values.map((value) => [name, String(value)])

const eventParams = ({ closed, order, ascending, ids, slugs, series, endsAfter }: EventQuery): Params => [
  ...given("closed", closed),
  ...given("order", order),
  ...given("ascending", ascending),
  ...each("id", ids),
  ...each("slug", slugs),
  ...given("series_id", series),
  ...given("end_date_min", endsAfter === undefined ? undefined : new Date(endsAfter).toISOString()),
]

/** More of an answer makes no sense than does. */
class MostlyUnread extends Schema.TaggedError<MostlyUnread>()("MostlyUnread", { detail: Schema.String }) {}

const malformed = (detail: string) => new UpstreamFailure({ upstream: "gamma", reason: "malformed", detail })

/** The venue's catalogue. */
export class Gamma extends Context.Service<
  Gamma,
  {
    readonly events: (query: EventQuery, page: PageOptions) => Asked<Page<CatalogueEvent>>
    /** Markets that were closed, the newest first, of those that were to end after a moment. */
    readonly closings: (endsAfter: number, page: PageOptions) => Asked<Page<Closing>>
    /** Open and closed ones by what they are known by; at most a hundred keys. */
    readonly markets: (by: MarketKey, keys: ReadonlyArray<string | number>) => Asked<Page<Market>>
    readonly series: Asked<Page<Series>>
    readonly tags: Asked<Page<Tag>>
    readonly teams: Asked<Page<Team>>
    readonly leagues: Asked<Page<League>>
    readonly marketTypes: Asked<ReadonlyArray<string>>
    readonly profile: (address: string) => Asked<Profile>
  }
>()("presage/upstream/Gamma") {
  static readonly layer = Layer.effect(
    Gamma,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { gamma } = yield* Endpoints
      const addressOf = (path: string, params: Params) =>
        `${gamma}${path}${params.length === 0 ? "" : `?${new URLSearchParams(params.map(([key, value]): [string, string] => [key, value]))}`}`

      const ask = <A>(path: string, params: Params, schema: Schema.Decoder<A>) =>
        http.decoded("gamma", schema, { url: addressOf(path, params) })

      /**
       * An answer that was garbled on its way is whole the next time, so rows that cannot be read are asked for once
       * more; what is mostly unreadable is no answer at all, since what can be read of it may be wrong as well.
       */
      const rowsOf = <W, A>(path: string, params: Params, schema: Schema.Decoder<W>, read: Reader<W, A>) => {
        const once = Effect.gen(function* () {
          const answer = yield* ask(path, params, schema)
          const rows = yield* read(answer)
          return rows.bad.length > 0 && rows.bad.length >= rows.good.length
            ? yield* new MostlyUnread({ detail: `${path}: ${rows.bad.length} rows: ${rows.bad[0]?.reason}` })
            : { answer, rows }
        })
        return once.pipe(
          Effect.flatMap((first) =>
            first.rows.bad.length === 0
              ? Effect.succeed(first)
              : Effect.map(Effect.result(once), (again) =>
                  Result.isSuccess(again) && again.success.rows.bad.length < first.rows.bad.length
                    ? again.success
                    : first,
                ),
          ),
          Effect.retry({
            times: 3,
            schedule: Schedule.jittered(Schedule.exponential("100 millis")),
            while: ({ _tag }) => _tag === "MostlyUnread",
          }),
          Effect.catchTag("MostlyUnread", ({ detail }) => Effect.fail(malformed(detail))),
          Effect.tap(({ rows }) => report(rows.bad)),
        )
      }

      const pageOf = <W extends { readonly next_cursor?: string | null }, A>(
        path: string,
        params: Params,
        { limit, after }: PageOptions,
        schema: Schema.Decoder<W>,
        read: Reader<W, A>,
      ): Asked<Page<A>> =>
        Effect.map(
          rowsOf(path, [...params, ...given("limit", limit), ...given("after_cursor", after)], schema, read),
          ({ answer, rows }) => ({
            items: rows.good,
            next: answer.next_cursor || undefined,
            whole: rows.bad.length === 0,
          }),
        )

      /** All of a list that is paged by place, as far as the venue lets one go. */
      const listed = <A>(
        path: string,
        params: Params,
        size: number,
        read: Reader<ReadonlyArray<unknown>, A>,
      ): Asked<Page<A>> =>
        Effect.gen(function* () {
          const items: Array<A> = []
          let whole = true
          for (let offset = 0; offset <= furthestOffset; offset += size) {
            const page = [...params, ...given("limit", size), ...given("offset", offset)]
            const { answer, rows } = yield* rowsOf(path, page, Listed, read)
            items.push(...rows.good)
            whole &&= rows.bad.length === 0
            if (answer.length < size) return { items, next: undefined, whole }
          }
          return { items, next: undefined, whole: false }
        })

      const marketsBy = (name: string, keys: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const items: Array<Market> = []
          let whole = true
          // Closed markets are left out unless asked for.
          for (const closed of [false, true]) {
            const params = [...each(name, keys), ...given("closed", closed), ...given("include_tag", true)]
            const page = yield* pageOf("/markets/keyset", params, { limit: mostKeys }, MarketPage, ({ markets }) =>
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
            ...given("closed", true),
            ...given("order", "closedTime"),
            ...given("ascending", false),
            ...given("end_date_min", new Date(endsAfter).toISOString()),
          ]
          return pageOf("/markets/keyset", params, page, MarketPage, ({ markets }) => readClosings(markets))
        },
        markets: (by, keys) => marketsBy(marketKeys[by].name, keys.map(marketKeys[by].write)),
        series: listed("/series", given("exclude_events", true), 50, readSeries),
        tags: listed("/tags", [], 100, readTags),
        teams: listed("/teams", [], 100, readTeams),
        leagues: Effect.map(rowsOf("/sports", [], Listed, readLeagues), ({ rows }) => ({
          items: rows.good,
          next: undefined,
          whole: rows.bad.length === 0,
        })),
        marketTypes: Effect.map(ask("/sports/market-types", [], MarketTypes), ({ marketTypes }) => marketTypes),
        profile: (address) =>
          Effect.map(ask("/public-profile", given("address", `0x${address}`), WireProfile), toProfile),
      })
    }),
  )
}
