import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { League, Series, Tag, Team } from "#src/domain/Catalogue.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { upsert } from "./upsert.ts"

const big = (value: number | null): bigint | null => (value === null ? null : BigInt(value))

const seriesRow = (series: Series) => ({
  id: series.id,
  slug: series.slug,
  title: series.title,
  series_type: series.seriesType,
  recurrence: series.recurrence,
  image: series.image,
  active: series.active,
  closed: series.closed,
  starts_at: series.startsAt === null ? null : new Date(series.startsAt),
  volume: big(series.volume),
  volume_day: big(series.volumeDay),
  liquidity: big(series.liquidity),
})

const seriesColumns = {
  id: "int4",
  slug: "text",
  title: "text",
  series_type: "text",
  recurrence: "text",
  image: "text",
  active: "bool",
  closed: "bool",
  starts_at: "timestamptz",
  volume: "int8",
  volume_day: "int8",
  liquidity: "int8",
} as const
const upsertSeries = upsert<ReturnType<typeof seriesRow>>("series", seriesColumns)
const insertSeries = bulkInsert<ReturnType<typeof seriesRow>>({
  table: "series",
  columns: seriesColumns,
  suffix: "on conflict do nothing",
})

const upsertTags = upsert<Tag>("tag", { id: "int4", slug: "text", label: "text" })
const upsertTeams = upsert<Team>("team", {
  id: "int4",
  name: "text",
  league: "text",
  record: "text",
  logo: "text",
  abbreviation: "text",
  alias: "text",
  color: "text",
  provider: "int4",
})
const upsertLeagues = upsert<League>("league", {
  id: "int4",
  code: "text",
  name: "text",
  image: "text",
  resolution: "text",
  ordering: "text",
  tags: "jsonb",
  series: "int4",
})
const addMarketTypes = bulkInsert<{ code: string }>({
  table: "market_type",
  columns: { code: "text" },
  suffix: "on conflict do nothing",
})

interface TokenRow {
  readonly id: number
  readonly hash: Uint8Array
}
const tokenName = ({ hash }: TokenRow) => Buffer.from(hash).toString("hex")

export const writeTags = (sql: SqlClient, tags: Iterable<Tag>) => upsertTags(sql, tags)

export const writeSeries = (sql: SqlClient, series: ReadonlyArray<Series>) => upsertSeries(sql, series.map(seriesRow))

/** Adds unknown series of events, which lack the sums that known ones have to keep. */
export const addSeries = (sql: SqlClient, series: Iterable<Series>) => insertSeries(sql, [...series].map(seriesRow))

export const writeTeams = (sql: SqlClient, teams: ReadonlyArray<Team>) => upsertTeams(sql, teams)

export const writeLeagues = (sql: SqlClient, leagues: ReadonlyArray<League>) => upsertLeagues(sql, leagues)

export const writeMarketTypes = (sql: SqlClient, codes: ReadonlyArray<string>) =>
  addMarketTypes(
    sql,
    codes.map((code) => ({ code })),
  )

export const progress = (sql: SqlClient, name: string) =>
  Effect.map(sql<{ at: Date }>`select at from catalogue_progress where name = ${name}`, ([row]) => row?.at.getTime())

export const setProgress = (sql: SqlClient, name: string, at: number) =>
  Effect.asVoid(sql`
    insert into catalogue_progress (name, at) values (${name}, ${new Date(at)})
    on conflict (name) do update set at = excluded.at where catalogue_progress.at < excluded.at`)

/** What a complete catalogue has read: open events, recently closed ones, and the markets of all traded tokens. */
const firstReads = ["first-load", "closings", "mentioned"]

/** The first reads that have not finished yet. */
export const unfinishedReads = (sql: SqlClient) =>
  Effect.map(sql<{ name: string }>`select name from catalogue_progress`, (rows) =>
    firstReads.filter((name) => !rows.some((row) => row.name === name)),
  )

/** When the catalogue was read for the first time; undefined once all of it has been read. */
export const firstReadSince = (sql: SqlClient, now: number) =>
  Effect.gen(function* () {
    if ((yield* unfinishedReads(sql)).length === 0) return undefined
    yield* sql`insert into catalogue_progress (name, at) values ('begun', ${new Date(now)}) on conflict do nothing`
    return yield* progress(sql, "begun")
  })

export const lastToken = (sql: SqlClient) =>
  Effect.map(sql<{ id: number | null }>`select max(id) as id from token`, ([row]) => row?.id ?? 0)

/** Tokens after an id that have no market and were never looked up, and the id of the last one. */
export const tokensWithoutMarket = (sql: SqlClient, after: number, limit: number) =>
  Effect.map(
    sql<TokenRow>`
      select t.id, t.hash from token t
      where t.id > ${after}
        and not exists (select 1 from market m where m.condition = t.condition)
        and not exists (select 1 from token_unlisted u where u.token = t.id)
      order by t.id limit ${limit}`,
    (rows) => ({ names: rows.map(tokenName), last: rows.at(-1)?.id ?? after }),
  )

/** Tokens that were not found and are due for another lookup. */
export const tokensToRetry = (sql: SqlClient, now: number, limit: number) =>
  Effect.map(
    sql<TokenRow>`
      select t.id, t.hash from token_unlisted u join token t on t.id = u.token
      where u.next_at <= ${new Date(now)} and not exists (select 1 from market m where m.condition = t.condition)
      order by u.next_at limit ${limit}`,
    (rows) => rows.map(tokenName),
  )

/** Schedules the next lookup of tokens that were not found, with exponential back-off. */
export const markUnlisted = (sql: SqlClient, tokens: ReadonlyArray<string>, now: number) =>
  tokens.length === 0
    ? Effect.void
    : Effect.asVoid(sql`
        insert into token_unlisted (token, tries, next_at)
        select t.id, 1, ${new Date(now + 5_000)} from unnest(${tokens}::text[]) n(name)
        join token t on t.hash = decode(n.name, 'hex')
        on conflict (token) do update set
          tries = token_unlisted.tries + 1,
          next_at = ${new Date(now)}::timestamptz + interval '5 seconds' * power(2, least(token_unlisted.tries, 14))`)
