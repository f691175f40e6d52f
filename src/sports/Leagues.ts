import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { League, Team } from "#src/domain/Catalogue.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { closestName } from "#src/platform/text/spelling.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { makeFirstGood } from "./firstGood.ts"
import { type LeagueSummary, leagueStore, type SeriesQuery, type StoredSeries } from "./LeagueStore.ts"
import { type NoSource, type Sourced, UnknownSport } from "./model.ts"
import { sportsStaleFor } from "./settings.ts"

const venueTimeout = "2 seconds"
/** Leagues change when the venue adds one, and the catalogue reads them every ten minutes. */
const leaguesKeptFor = "10 seconds"

/** Leagues with their teams and series, and the summaries of their games. */
export class Leagues extends Context.Service<
  Leagues,
  {
    readonly all: Effect.Effect<Sourced<ReadonlyArray<League>>, NoSource>
    /** By its code, in any case. */
    readonly find: (code: string) => Effect.Effect<Sourced<League>, UnknownSport | NoSource>
    readonly hasSeries: (series: number) => Effect.Effect<boolean, NoSource>
    readonly teams: (
      league: string,
      limit: number,
      offset: number,
    ) => Effect.Effect<Sourced<ReadonlyArray<Team>>, UnknownSport | NoSource>
    readonly teamsById: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Team>, SqlError>
    readonly summaries: Effect.Effect<Sourced<ReadonlyArray<LeagueSummary>>, NoSource>
    readonly marketTypes: Effect.Effect<Sourced<ReadonlyArray<string>>, NoSource>
    readonly series: (query: SeriesQuery) => Effect.Effect<Sourced<ReadonlyArray<StoredSeries>>, NoSource>
    readonly oneSeries: (id: number) => Effect.Effect<StoredSeries, UnknownSport | SqlError>
  }
>()("presage/sports/Leagues") {
  static readonly layer = Layer.effect(
    Leagues,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const config = yield* Configuration
  const gamma = yield* Gamma
  const store = leagueStore(reads)
  const staleMillis = () => Duration.toMillis(config.get(sportsStaleFor))

  /** From the catalogue unless it has nothing yet or cannot be read; then from the venue's list, if it has one. */
  const listed = <A>() => {
    const first = makeFirstGood<ReadonlyArray<A>>(staleMillis)
    return (
      key: string,
      read: Effect.Effect<ReadonlyArray<A>, unknown>,
      venue?: Effect.Effect<ReadonlyArray<A>, unknown>,
    ) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const sourced =
          (source: "catalogue" | "gamma") =>
          (value: ReadonlyArray<A>): Sourced<ReadonlyArray<A>> => ({
            value,
            source,
            fallback: false,
            stale: false,
            at: now,
          })
        const answer = yield* first(key, now, {
          catalogue: Effect.map(read, (rows) =>
            rows.length === 0 && venue !== undefined ? undefined : sourced("catalogue")(rows),
          ),
          venue: venue === undefined ? [] : [Effect.map(Effect.timeout(venue, venueTimeout), sourced("gamma"))],
          isFinal: false,
        })
        return answer ?? sourced("catalogue")([])
      })
  }

  const [leagueList, teamList, summaryList, typeList, seriesList] = [
    listed<League>(),
    listed<Team>(),
    listed<LeagueSummary>(),
    listed<string>(),
    listed<StoredSeries>(),
  ]
  const all = yield* cachedBriefly(
    leagueList(
      "leagues",
      store.all,
      Effect.map(gamma.leagues, ({ items }) => items),
    ),
    leaguesKeptFor,
  )

  const find = Effect.fn("Leagues.find")(function* (code: string) {
    const { value, ...rest } = yield* all
    const wanted = code.toLowerCase()
    const league = value.find((each) => each.code.toLowerCase() === wanted)
    if (league !== undefined) return { ...rest, value: league }
    const nearest = closestName(wanted, new Set(value.map((each) => each.code)))
    return yield* new UnknownSport({ kind: "league", value: code, nearest: nearest === undefined ? [] : [nearest] })
  })

  return Leagues.of({
    all: Effect.withSpan(all, "Leagues.all"),
    find,
    hasSeries: Effect.fn("Leagues.hasSeries")((series) =>
      Effect.map(all, ({ value }) => value.some((league) => league.series === series)),
    ),
    teams: Effect.fn("Leagues.teams")(function* (league, limit, offset) {
      const { code } = (yield* find(league)).value
      return yield* teamList(JSON.stringify([code, limit, offset]), store.teams(code, limit, offset))
    }),
    teamsById: Effect.fn("Leagues.teamsById")(store.teamsById),
    summaries: Effect.withSpan(summaryList("summaries", store.summaries), "Leagues.summaries"),
    marketTypes: Effect.withSpan(typeList("types", store.marketTypes, gamma.marketTypes), "Leagues.marketTypes"),
    series: Effect.fn("Leagues.series")((query) => seriesList(JSON.stringify(query), store.series(query))),
    oneSeries: Effect.fn("Leagues.oneSeries")(function* (id) {
      const found = yield* store.oneSeries(id)
      return found ?? (yield* new UnknownSport({ kind: "series", value: String(id), nearest: [] }))
    }),
  })
})
