import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { unnest } from "#src/platform/sql/pgArray.ts"

/** Words as they are compared: without case, accents and punctuation. */
export const foldedWords = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

type NamedKind = "event" | "team" | "league"

interface Named {
  readonly id: number
  readonly names: string
}

const write = (sql: SqlClient, kind: NamedKind, rows: ReadonlyArray<Named>) =>
  rows.length === 0
    ? Effect.void
    : Effect.asVoid(sql`
        insert into sports_name (kind, id, names, vector)
        select ${kind}, n.id, n.names, to_tsvector('simple', n.names)
        from ${unnest(sql, "n", rows, {
          id: ["int4", ({ id }) => id],
          names: ["text", ({ names }) => [...new Set(foldedWords(names))].join(" ")],
        })}
        left join sports_name o on o.kind = ${kind} and o.id = n.id
        where o.names is distinct from n.names
        order by n.id
        on conflict (kind, id) do update set names = excluded.names, vector = excluded.vector`)

/** Events without names that are read at once. */
const eventsAtOnce = 5_000

/** Makes events of games found that are not found yet: by their titles, sides and league. Call it inside a transaction. */
export const nameEvents = (sql: SqlClient, ids?: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const rows = yield* sql<Named>`
      select e.id, concat_ws(' ', e.title, e.slug, g.home, g.away, h.name, h.alias, h.abbreviation, a.name, a.alias,
        a.abbreviation, g.league) as names
      from event e left join game g on g.id = e.game
      left join team h on h.id = g.home_team left join team a on a.id = g.away_team
      where (e.game is not null or e.series in (select series from league))
        and not exists (select from sports_name n where n.kind = 'event' and n.id = e.id)
        and ${ids === undefined ? sql`true` : sql`e.id = any(${ids}::int[])`}
      order by e.id limit ${eventsAtOnce}`
    yield* write(sql, "event", rows)
    return rows.length
  })

/** Makes all teams and leagues found by their names. Call it inside a transaction. */
const nameTeamsAndLeagues = (sql: SqlClient) =>
  Effect.gen(function* () {
    const teams = yield* sql<Named>`
      select id, concat_ws(' ', name, alias, abbreviation, league) as names from team order by id`
    yield* write(sql, "team", teams)
    const leagues = yield* sql<Named>`
      select l.id, concat_ws(' ', l.code, l.name, s.title) as names
      from league l left join series s on s.id = l.series order by l.id`
    yield* write(sql, "league", leagues)
  })

/** Makes everything found. Call it inside a transaction. */
export const nameAll = (sql: SqlClient) =>
  Effect.andThen(
    nameTeamsAndLeagues(sql),
    Effect.repeat(nameEvents(sql), { while: (written: number) => written === eventsAtOnce }),
  )
