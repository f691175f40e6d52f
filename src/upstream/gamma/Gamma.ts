import { Context, Effect, Layer, Result, Schedule, Schema } from "effect"
import type { CatalogueEvent, Closing, League, Market, Profile, Series, Tag, Team } from "#src/domain/Catalogue.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp, type UpstreamRequest } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { toClosing, toLeague, toMarket, toProfile, toSeries, toTag, toTeam } from "./decode.ts"
import { type FreshEvents, type KnownEvents, readFreshEvents } from "./freshEvents.ts"
import { KnownBadRows } from "./KnownBadRows.ts"
import { pageReader } from "./pageReader.ts"
import {
  type EventQuery,
  eventParams,
  listParam,
  type MarketKey,
  marketKeys,
  maxKeys,
  type Params,
  param,
} from "./parameters.ts"
import { type BadRow, idOfBad, isMostlyBad, type Rows, readEvents, readRows, reportSkipped } from "./rows.ts"
import { WireClosing, WireMarket, WireProfile, WireSeries, WireSport, WireTag, WireTeam } from "./wire.ts"

export { type EventQuery, type MarketKey, maxKeys } from "./parameters.ts"

/** A page of a list. */
export interface GammaPage<A> {
  readonly items: ReadonlyArray<A>
  /** Undefined on the last page. A page with few rows is not the last for that. */
  readonly next: string | undefined
  /** Ids of undecodable rows, which are not among the items; null where the id is undecodable too. */
  readonly skipped: ReadonlyArray<number | null>
}

/** A page of events. */
export interface EventPage extends GammaPage<CatalogueEvent>, Pick<FreshEvents, "known" | "listed"> {}

/** A whole list. */
export interface List<A> {
  readonly items: ReadonlyArray<A>
  /** The offset at which the venue refused to continue. Rows beyond it are missing. */
  readonly endsAtOffset: number | undefined
}

export interface PageOptions {
  readonly limit: number
  readonly after?: string | undefined
  /** By default as many as are configured; one if somebody waits for it. */
  readonly attempts?: number
}

export interface EventPageOptions extends PageOptions {
  /** Rows that are not decoded; if their texts are known, they are not even parsed. */
  readonly known?: KnownEvents
}

export interface OffsetPage {
  readonly limit: number
  readonly offset: number
  readonly attempts?: number
}

type RequestOptions = Pick<UpstreamRequest, "attempts" | "parse">

const noneKnown: KnownEvents = { withText: () => undefined }

type Fetched<A> = Effect.Effect<A, UpstreamFailure>
type Reader<W, A> = (response: W) => Effect.Effect<Rows<A>>

/** No list is that long: a venue that ignores the offset would return its first page forever. */
const maxOffset = 1_000_000

const UnknownRows = Schema.Array(Schema.Unknown)
const WireEventPage = Schema.Struct({
  events: UnknownRows,
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const MarketPage = Schema.Struct({
  markets: UnknownRows,
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const ProfilePage = Schema.Struct({ profiles: Schema.optionalKey(Schema.NullOr(UnknownRows)) })
const MarketTypes = Schema.Struct({ marketTypes: Schema.NullOr(Schema.Array(Schema.String)) })

const readMarkets = readRows("market", WireMarket, (wire) => toMarket(wire, null))
const readClosings = readRows("closed market", WireClosing, toClosing)
const readSeries = readRows("series", WireSeries, toSeries)
const readTags = readRows("tag", WireTag, toTag)
const readTeams = readRows("team", WireTeam, toTeam)
const readProfiles = readRows("profile", WireProfile, toProfile)
const readLeagues = readRows("sport", WireSport, toLeague)

/** Elements of a search are null, or users without a wallet, now and then. */
const hasWallet = (profile: unknown): boolean =>
  typeof profile === "object" && profile !== null && "proxyWallet" in profile && Boolean(profile.proxyWallet)

/** At least half of the rows of a type are undecodable. */
class MostlyUndecodable extends Schema.TaggedError<MostlyUndecodable>()("MostlyUndecodable", {
  detail: Schema.String,
}) {}

const malformed = (detail: string) => new UpstreamFailure({ upstream: "gamma", reason: "malformed", detail })

/** The venue's catalogue. */
export class Gamma extends Context.Service<
  Gamma,
  {
    readonly events: (query: EventQuery, page: EventPageOptions) => Fetched<EventPage>
    /** A page of the venue's other list of events, which is served apart from the first and paged by offset. */
    readonly alternateEvents: (query: EventQuery, page: OffsetPage) => Fetched<ReadonlyArray<CatalogueEvent>>
    /** Closed markets whose end date is later than `endsAfter`, newest first. */
    readonly closings: (endsAfter: number, page: PageOptions) => Fetched<GammaPage<Closing>>
    /** Open and closed markets by key; at most `maxKeys`. */
    readonly markets: (by: MarketKey, keys: ReadonlyArray<string | number>) => Fetched<GammaPage<Market>>
    readonly series: Fetched<List<Series>>
    readonly tags: Fetched<List<Tag>>
    readonly teams: Fetched<List<Team>>
    readonly leagues: Fetched<List<League>>
    readonly marketTypes: Fetched<ReadonlyArray<string>>
    /** Fails with status 404 if the venue has no profile of this wallet. */
    readonly profile: (address: string) => Fetched<Profile>
    /** A page of the profiles whose names contain a text, best match first; pages count from 1. */
    readonly findProfiles: (text: string, page: number, limit: number) => Fetched<ReadonlyArray<Profile>>
  }
>()("presage/upstream/Gamma") {
  static readonly layer = Layer.effect(
    Gamma,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { gamma } = yield* Endpoints
      const addressOf = (path: string, params: Params) =>
        `${gamma}${path}${params.length === 0 ? "" : `?${new URLSearchParams(params.map(([key, value]): [string, string] => [key, value]))}`}`

      const get = <A>(path: string, params: Params, schema: Schema.Decoder<A>, options: RequestOptions = {}) =>
        http.decoded("gamma", schema, { url: addressOf(path, params), ...options })

      const knownBad = new KnownBadRows()
      const parse = yield* pageReader

      /**
       * A garbled response is usually correct the next time, so undecodable rows are requested once more, unless they are
       * known to stay undecodable. A mostly undecodable response is retried as a whole, because its decodable rows may be
       * wrong too.
       */
      const rowsOf = <W, R extends Rows<unknown>>(
        path: string,
        params: Params,
        schema: Schema.Decoder<W>,
        read: (response: W) => Effect.Effect<R>,
        options?: RequestOptions,
      ) =>
        Effect.suspend(() => {
          let previous: ReadonlyArray<BadRow> = []
          const once = Effect.gen(function* () {
            const response = yield* get(path, params, schema, options)
            const rows = yield* read(response)
            knownBad.remember(previous, rows.bad)
            previous = rows.bad
            const fresh = knownBad.without(rows)
            if (!isMostlyBad(fresh)) return { response, rows, isDoubtful: fresh.bad.length > 0 }
            return yield* new MostlyUndecodable({
              detail: `${path}: ${fresh.bad.length} rows: ${fresh.bad[0]?.reason}`,
            })
          })
          return once.pipe(
            Effect.flatMap((first) =>
              first.isDoubtful
                ? Effect.map(Effect.result(once), (second) =>
                    Result.isSuccess(second) && second.success.rows.bad.length < first.rows.bad.length
                      ? second.success
                      : first,
                  )
                : Effect.succeed(first),
            ),
            Effect.retry({
              times: 3,
              schedule: Schedule.jittered(Schedule.exponential("100 millis")),
              while: ({ _tag }) => _tag === "MostlyUndecodable",
            }),
            Effect.catchTag("MostlyUndecodable", ({ detail }) => Effect.fail(malformed(detail))),
            Effect.tap(({ rows }) => reportSkipped(rows.bad)),
          )
        })

      const readPage = <W extends { readonly next_cursor?: string | null }, R extends Rows<unknown>>(
        what: string,
        path: string,
        params: Params,
        { limit, after, ...options }: PageOptions & RequestOptions,
        schema: Schema.Decoder<W>,
        read: (response: W) => Effect.Effect<R>,
      ) =>
        Effect.map(
          rowsOf(path, [...params, ...param("limit", limit), ...param("after_cursor", after)], schema, read, options),
          ({ response, rows }) => ({
            rows,
            next: response.next_cursor || undefined,
            skipped: rows.bad.flatMap((row) => (row.what === what ? [idOfBad(row)] : [])),
          }),
        )

      const pageOf = <W extends { readonly next_cursor?: string | null }, A>(
        what: string,
        path: string,
        params: Params,
        options: PageOptions,
        schema: Schema.Decoder<W>,
        read: Reader<W, A>,
      ): Fetched<GammaPage<A>> =>
        Effect.map(readPage(what, path, params, options, schema, read), ({ rows, ...page }) => ({
          ...page,
          items: rows.good,
        }))

      /** All pages of a list that is paged by offset, up to where the venue refuses to continue. */
      const fetchList = <A>(
        path: string,
        params: Params,
        size: number,
        read: Reader<ReadonlyArray<unknown>, A>,
      ): Fetched<List<A>> =>
        Effect.gen(function* () {
          const items: Array<A> = []
          for (let offset = 0; offset < maxOffset; ) {
            const page = [...params, ...param("limit", size), ...param("offset", offset)]
            const answer = yield* rowsOf(path, page, UnknownRows, read).pipe(
              Effect.catchIf(
                ({ status }) => offset > 0 && (status === 422 || status === 400),
                () => Effect.succeed(undefined),
              ),
            )
            if (answer === undefined) return { items, endsAtOffset: offset }
            items.push(...answer.rows.good)
            // The venue may return fewer rows than asked for before the end of the list.
            if (answer.response.length === 0) return { items, endsAtOffset: undefined }
            offset += answer.response.length
          }
          return { items, endsAtOffset: maxOffset }
        })

      const marketsBy = (name: string, keys: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const items: Array<Market> = []
          const skipped: Array<number | null> = []
          // Without the parameter the venue leaves out closed markets.
          for (const closed of [false, true]) {
            const params = [...listParam(name, keys), ...param("closed", closed), ...param("include_tag", true)]
            let after: string | undefined
            do {
              const options = { limit: maxKeys, after }
              const page = yield* pageOf("market", "/markets/keyset", params, options, MarketPage, ({ markets }) =>
                readMarkets(markets),
              )
              items.push(...page.items)
              skipped.push(...page.skipped)
              after = page.next
            } while (after !== undefined)
          }
          return { items, next: undefined, skipped }
        })

      return Gamma.of({
        events: (query, { known, ...page }) =>
          Effect.map(
            readPage(
              "event",
              "/events/keyset",
              eventParams(query),
              // The thread is for sweeps. Somebody may wait for the others, and it has a lower priority.
              known === undefined ? page : { ...page, parse },
              WireEventPage,
              ({ events }) => readFreshEvents(events, known ?? noneKnown),
            ),
            ({ rows: { good, known, listed }, ...rest }) => ({ ...rest, items: good, known, listed }),
          ),
        alternateEvents: (query, { limit, offset, ...options }) =>
          Effect.map(
            rowsOf(
              "/events",
              [...eventParams(query), ...param("limit", limit), ...param("offset", offset)],
              UnknownRows,
              (events) => readEvents(events),
              options,
            ),
            ({ rows }) => rows.good,
          ),
        closings: (endsAfter, page) => {
          const params = [
            ...param("closed", true),
            ...param("order", "closedTime"),
            ...param("ascending", false),
            ...param("end_date_min", new Date(endsAfter).toISOString()),
          ]
          return pageOf("closed market", "/markets/keyset", params, page, MarketPage, ({ markets }) =>
            readClosings(markets),
          )
        },
        markets: (by, keys) => marketsBy(marketKeys[by].name, keys.map(marketKeys[by].write)),
        series: fetchList("/series", param("exclude_events", true), 50, readSeries),
        tags: fetchList("/tags", [], 100, readTags),
        teams: fetchList("/teams", [], 100, readTeams),
        leagues: Effect.map(rowsOf("/sports", [], UnknownRows, readLeagues), ({ rows }) => ({
          items: rows.good,
          endsAtOffset: undefined,
        })),
        marketTypes: Effect.map(get("/sports/market-types", [], MarketTypes), ({ marketTypes }) => marketTypes ?? []),
        profile: (address) =>
          Effect.map(get("/public-profile", param("address", `0x${address}`), WireProfile), toProfile),
        findProfiles: (text, page, limit) => {
          const params = [
            ...param("q", text),
            ...param("search_profiles", true),
            ...param("search_tags", false),
            // The search cannot leave out events; this makes them small.
            ...param("optimized", true),
            ...param("limit_per_type", limit),
            ...param("page", page),
          ]
          const read = ({ profiles }: typeof ProfilePage.Type) => readProfiles((profiles ?? []).filter(hasWallet))
          return Effect.map(rowsOf("/public-search", params, ProfilePage, read), ({ rows }) => rows.good)
        },
      })
    }),
  )
}
