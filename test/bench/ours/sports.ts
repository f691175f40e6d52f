import { Clock, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { nameAll } from "#src/catalogue/SportsNameStore.ts"
import { countLeagues } from "#src/catalogue/SummaryStore.ts"
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

/** Ids of copies do not meet those of the venue. */
const apart = 1_000_000

/** Events of the venue's open games. Some games have ids that are not numbers. */
const openGames = (sql: SqlClient) => sql`
  from event e join game g on g.id = e.game
  where g.id ~ '^[0-9]{1,8}$' and e.id < ${apart} and not e.closed and not e.archived`

/**
 * Copies every open game of the venue so many times, with its events and markets; tokens are shared with the original.
 * The rows are made in a lateral join: `(made(…)).*` would make each row once per column.
 */
const copyGames = Effect.fnUntraced(function* (
  sql: SqlClient,
  phase: "live" | "scheduled",
  copies: { readonly from: number; readonly to: number },
) {
  const [state, opens] =
    phase === "live"
      ? [{ status: "inprogress", score: "0-0", period: "Q1", elapsed: "1:00", live: true }, "now() - interval '1 hour'"]
      : [{ status: null, score: null, period: null, elapsed: null, live: null }, "now() + interval '3 hours' * n"]
  yield* sql`
    create temporary table copied on commit drop as
    select n, e.id as event, e.game from generate_series(${copies.from}::int, ${copies.to}::int) n, lateral (
      select e.id, g.id as game ${openGames(sql)}) e`
  yield* sql`analyze copied`
  yield* sql`
    insert into game select made.*
    from (select distinct n, game from copied) c join game g on g.id = c.game, lateral jsonb_populate_record(g,
      ${JSON.stringify({ ...state, phase, ended: false })}::jsonb ||
      jsonb_build_object('id', (g.id::int8 + c.n * ${apart})::text, 'slug', g.slug || '-' || c.n, 'source_at', null,
        'heard_at', case when ${phase === "live"} then now() end, 'starts_at', ${sql.literal(opens)})) made`
  yield* sql`
    insert into event select made.*
    from copied c join event e on e.id = c.event, lateral jsonb_populate_record(e, jsonb_build_object(
      'id', e.id + c.n * ${apart}, 'slug', e.slug || '-' || c.n, 'parent', e.parent + c.n * ${apart},
      'game', (e.game::int8 + c.n * ${apart})::text, 'opens_at', ${sql.literal(opens)}, 'starts_at', ${sql.literal(opens)})) made`
  yield* sql`
    insert into market select made.*
    from copied c join market m on m.event = c.event, lateral jsonb_populate_record(m, jsonb_build_object(
      'id', m.id + c.n * ${apart}, 'slug', m.slug || '-' || c.n, 'event', m.event + c.n * ${apart},
      'game', (c.game::int8 + c.n * ${apart})::text)) made`
})

const games = (sql: SqlClient, phase: "live" | "scheduled") => sql<BenchGame>`
  select g.id, e.slug, e.id as event, (select min(m.id) from market m where m.event = e.id) as market
  from event e join game g on g.id = e.game
  where e.parent is null and not e.closed and not e.archived and g.phase = ${phase}
    and exists (select from market m where m.event = e.id)
  order by e.id desc`

const addGames = Effect.fnUntraced(function* (live: number, upcoming: number) {
  const { sql, tx } = yield* Postgres
  const [open] = yield* sql<{ games: number }>`select count(distinct e.game)::int as games ${openGames(sql)}`
  const each = Math.max(1, open?.games ?? 0)
  const [liveCopies, upcomingCopies] = [Math.ceil(live / each), Math.ceil(upcoming / each)]
  const add = (phase: "live" | "scheduled", from: number, to: number) =>
    tx(copyGames(sql, phase, { from, to }), "5 minutes")
  yield* add("live", 1, liveCopies)
  yield* add("scheduled", liveCopies + 1, liveCopies + upcomingCopies)
  const now = yield* Clock.currentTimeMillis
  yield* tx(Effect.andThen(nameAll(sql), countLeagues(sql, now)), "5 minutes")
  yield* sql`analyze game, event, market, sports_name, league_summary`

  const keys = yield* Keys
  const { key, account } = yield* keys.open("enterprise", KeyName.make("bench"))
  yield* keys.setLimits(account.id, { standard: PerMinute.make(1_000_000), heavy: PerMinute.make(1_000_000) })
  const leagues = yield* sql<{ league: string; series: number }>`
    select league, series from league_summary where games > 0 order by games desc`
  const [markets] = yield* sql<{ count: number }>`select count(*)::int as count from market where not closed`
  return {
    key: Redacted.value(key),
    live: yield* games(sql, "live"),
    upcoming: yield* games(sql, "scheduled"),
    leagues: leagues.map(({ league }) => league),
    series: [...new Set(leagues.map(({ series }) => series))],
    tournaments: [],
    markets: markets?.count ?? 0,
  } satisfies SportsWorld
})

expose<SportsSubject>({
  addGames: (live, upcoming) =>
    runtime.runPromise(
      Effect.mapError(addGames(live, upcoming), (error) => new Error(describe(error), { cause: error })),
    ),
})
