import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { expose } from "../support/expose.ts"
import type { BenchGame, SportsSubject, SportsWorld } from "../support/sports.ts"
import { configuration } from "./foundation.ts"

const runtime = ManagedRuntime.make(
  accountKeys.pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

const games = (sql: SqlClient, phase: "live" | "scheduled") => sql<BenchGame>`
  select g.id, e.slug, e.id as event, min(m.id) as market, count(*)::int as markets, g.score, g.period
  from event e join game g on g.id = e.game join market m on m.event = e.id
  where e.parent is null and not e.closed and not e.archived and coalesce(g.phase, 'scheduled') = ${phase}
  group by g.id, e.id order by e.id desc`

/** Ten of the largest games come first, before those of usual size. */
const mixed = (all: ReadonlyArray<BenchGame>): ReadonlyArray<BenchGame> => {
  const largest = all.toSorted((a, b) => b.markets - a.markets)
  const rest = largest.splice(Math.ceil(all.length / 8)).sort((a, b) => b.event - a.event)
  return [...largest.slice(0, 10), ...rest, ...largest.slice(10)]
}

const worldOf = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const keys = yield* Keys
  const { key, account } = yield* keys.open("enterprise", KeyName.make("bench"))
  yield* keys.setLimits(account.id, { standard: PerMinute.make(1_000_000), heavy: PerMinute.make(1_000_000) })
  const leagues = yield* sql<{ league: string; series: number }>`
    select league, series from league_summary where games > 0 order by games desc`
  const [markets] = yield* sql<{ count: number }>`select count(*)::int as count from market where not closed`
  return {
    key: Redacted.value(key),
    live: mixed(yield* games(sql, "live")),
    upcoming: mixed(yield* games(sql, "scheduled")),
    leagues: leagues.map(({ league }) => league),
    series: [...new Set(leagues.map(({ series }) => series))],
    markets: markets?.count ?? 0,
  } satisfies SportsWorld
})

expose<SportsSubject>({
  world: () => runtime.runPromise(Effect.mapError(worldOf, (error) => new Error(describe(error), { cause: error }))),
})
