import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { History } from "./History.ts"
import { Leagues } from "./Leagues.ts"
import { Listings } from "./Listings.ts"
import { Prices } from "./Prices.ts"
import { type SportsHit, searchStore } from "./SearchStore.ts"
import { type Tournament, tournamentStore } from "./TournamentStore.ts"

/** Finds sports by their names, and competitions with their rounds. */
export class SportsSearch extends Context.Service<
  SportsSearch,
  {
    readonly find: (text: string, limit: number) => Effect.Effect<ReadonlyArray<SportsHit>, SqlError>
    readonly tournaments: Effect.Effect<ReadonlyArray<Tournament>, SqlError>
    readonly tournament: (id: number) => Effect.Effect<Tournament | undefined, SqlError>
  }
>()("presage/sports/SportsSearch") {
  static readonly layer = Layer.effect(
    SportsSearch,
    Effect.map(Postgres, ({ reads }) => {
      const { tournaments, tournament } = tournamentStore(reads)
      return SportsSearch.of({
        find: Effect.fn("SportsSearch.find")(searchStore(reads)),
        tournaments: Effect.withSpan(tournaments, "SportsSearch.tournaments"),
        tournament: Effect.fn("SportsSearch.tournament")(tournament),
      })
    }),
  )
}

/** Everything behind the sports endpoints. */
export const sportsServices = Layer.mergeAll(Listings.layer, Prices.layer, History.layer, SportsSearch.layer).pipe(
  Layer.provideMerge(Leagues.layer),
)
