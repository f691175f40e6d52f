import { Array as Arr, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** A market with the identifiers that clients use. */
export interface ListedMarket {
  /** 0x and 64 hexadecimal digits. */
  readonly condition: string
  readonly slug: string
  readonly eventSlug: string | null
  readonly question: string
  readonly eventTitle: string | null
  readonly outcomes: ReadonlyArray<string>
  /** Decimal, in the order of the outcomes. */
  readonly tokens: ReadonlyArray<string>
}

interface Row {
  readonly input: number
  readonly condition: string
  readonly slug: string
  readonly event_slug: string | null
  readonly question: string
  readonly event_title: string | null
  readonly outcomes: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
}

const marketOf = (row: Row): ListedMarket => ({
  condition: `0x${row.condition}`,
  slug: row.slug,
  eventSlug: row.event_slug,
  question: row.question,
  eventTitle: row.event_title,
  outcomes: row.outcomes,
  tokens: row.tokens.map((hex) => BigInt(`0x${hex}`).toString()),
})

/** Empty, which matches nothing, if the id is longer than a hash. */
const hashOfToken = (token: string) => {
  const hex = BigInt(token).toString(16).padStart(64, "0")
  return hex.length > 64 ? "" : hex
}
const hashOfCondition = (id: string) => id.slice(2).toLowerCase()

/** Names in one query. Longer lists take several, one after the other, so that other work gets its turn. */
const marketsPerQuery = 1_000
const namesPerQuery = 5_000

/** Finds markets by the identifiers that clients use. Unknown ones are left out. */
export class MarketLookup extends Context.Service<
  MarketLookup,
  {
    /** By the slug of a market, or of an event for all its markets. */
    readonly bySlugs: (
      slugs: Iterable<string>,
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<ListedMarket>>, SqlError>
    readonly byConditions: (ids: Iterable<string>) => Effect.Effect<ReadonlyMap<string, ListedMarket>, SqlError>
    readonly byTokens: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, ListedMarket>, SqlError>
    /** Those that belong to a market. */
    readonly listedConditions: (ids: Iterable<string>) => Effect.Effect<ReadonlySet<string>, SqlError>
    readonly listedTokens: (tokens: Iterable<string>) => Effect.Effect<ReadonlySet<string>, SqlError>
    /** The number of markets that accept orders. */
    readonly openMarkets: Effect.Effect<number, SqlError>
  }
>()("presage/catalogue/MarketLookup") {
  static readonly layer = Layer.effect(
    MarketLookup,
    Effect.gen(function* () {
      const { reads } = yield* Postgres

      const columns = reads.literal(`
        encode(c.hash, 'hex') as condition, m.slug, e.slug as event_slug, m.question, e.title as event_title, m.outcomes,
        array(select encode(o.hash, 'hex') from token o where o.condition = m.condition order by o.outcome) as tokens`)

      const joined = {
        condition: reads.literal("join condition c on c.hash = n.hash"),
        token: reads.literal("join token t on t.hash = n.hash join condition c on c.id = t.condition"),
      }
      /** If a condition is listed twice, the newest market counts. */
      const byHashes = (names: ReadonlyArray<string>, hashOf: (name: string) => string, what: keyof typeof joined) => {
        const hashes = pgArray("bytea", names, (name) => Buffer.from(hashOf(name), "hex"))
        return Effect.map(
          reads<Row>`
            select distinct on (n.input) n.input::int as input, ${columns}
            from unnest(${hashes}) with ordinality n(hash, input)
            ${joined[what]}
            join market m on m.condition = c.id
            left join event e on e.id = m.event
            order by n.input, m.id desc`,
          (rows) => new Map(rows.map((row) => [names[row.input - 1] as string, marketOf(row)])),
        )
      }

      const some = <A, E>(
        names: Iterable<string>,
        find: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, A>, E>,
      ): Effect.Effect<ReadonlyMap<string, A>, E> => {
        const all = [...new Set(names)]
        if (all.length === 0) return Effect.succeed(new Map<string, A>())
        if (all.length <= marketsPerQuery) return find(all)
        return Effect.map(Effect.forEach(Arr.chunksOf(all, marketsPerQuery), find), (parts) => {
          return new Map(parts.flatMap((part) => [...part]))
        })
      }

      /** Those of the names that have a market. */
      const listed = (names: ReadonlyArray<string>, hashOf: (name: string) => string, what: keyof typeof joined) => {
        const find = (part: ReadonlyArray<string>) => {
          const hashes = pgArray("bytea", part, (name) => Buffer.from(hashOf(name), "hex"))
          return Effect.map(
            reads<{ input: number }>`
              select n.input::int as input
              from unnest(${hashes}) with ordinality n(hash, input)
              ${joined[what]}
              where exists (select from market m where m.condition = c.id)`,
            (rows) => rows.map(({ input }) => part[input - 1] as string),
          )
        }
        return Effect.map(
          Effect.forEach(Arr.chunksOf(names, namesPerQuery), find),
          (parts): ReadonlySet<string> => new Set(parts.flat()),
        )
      }

      return MarketLookup.of({
        bySlugs: Effect.fn("MarketLookup.bySlugs")((slugs) =>
          some(slugs, (names) =>
            Effect.map(
              reads<Row>`
                select n.input::int as input, ${columns}
                from unnest(${pgArray("text", names)}) with ordinality n(slug, input)
                cross join lateral (
                  select id from market where slug = n.slug
                  union
                  select m.id from event e join market m on m.event = e.id where e.slug = n.slug
                ) found
                join market m on m.id = found.id
                join condition c on c.id = m.condition
                left join event e on e.id = m.event
                order by n.input, m.id`,
              (rows) => {
                const bySlug = Map.groupBy(rows, (row) => names[row.input - 1] as string)
                return new Map([...bySlug].map(([slug, found]) => [slug, found.map(marketOf)]))
              },
            ),
          ),
        ),
        byConditions: Effect.fn("MarketLookup.byConditions")((ids) =>
          some(ids, (names) => byHashes(names, hashOfCondition, "condition")),
        ),
        byTokens: Effect.fn("MarketLookup.byTokens")((tokens) =>
          some(tokens, (names) => byHashes(names, hashOfToken, "token")),
        ),
        listedConditions: Effect.fn("MarketLookup.listedConditions")((ids) =>
          listed([...ids], hashOfCondition, "condition"),
        ),
        listedTokens: Effect.fn("MarketLookup.listedTokens")((tokens) => listed([...tokens], hashOfToken, "token")),
        openMarkets: Effect.withSpan(
          Effect.map(
            reads<{ count: number }>`
            select count(*)::int as count from market where not closed and not archived and accepting_orders`,
            ([row]) => row?.count ?? 0,
          ),
          "MarketLookup.openMarkets",
        ),
      })
    }),
  )
}
