import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import { documentVersion, type Searchable } from "#src/search/document.ts"
import { writeSearchables } from "#src/search/SearchStore.ts"

type SearchedMarket = Pick<
  Market,
  "id" | "question" | "slug" | "outcomes" | "active" | "closed" | "archived" | "volume"
>

/** Nearly all markets have these, so that they would find everything. */
const plain = new Set(["yes", "no"])

const searchable = (market: SearchedMarket, eventTitle: string | null): Searchable => ({
  id: market.id,
  texts: {
    A: [market.question],
    B: [market.slug],
    C: eventTitle === null || eventTitle === market.question ? [] : [eventTitle],
    D: market.outcomes.filter((outcome) => !plain.has(outcome.toLowerCase())),
  },
  isOpen: market.active && !market.closed && !market.archived,
  volume: market.volume ?? 0,
})

/** Makes markets found as the venue lists them now. */
export const indexMarkets = (sql: SqlClient, events: ReadonlyArray<CatalogueEvent>, markets: ReadonlyArray<Market>) => {
  const titles = new Map(events.map(({ id, title }) => [id, title]))
  return writeSearchables(
    sql,
    "market",
    markets.map((market) => searchable(market, market.event === null ? null : (titles.get(market.event) ?? null))),
  )
}

interface StoredMarket extends Omit<SearchedMarket, "volume"> {
  readonly volume: bigint | null
  readonly event_title: string | null
}

const stored = ({ volume, event_title, ...market }: StoredMarket): Searchable =>
  searchable({ ...market, volume: volume === null ? null : Number(volume) }, event_title)

const selected = (sql: SqlClient) => sql`
  select m.id, m.question, m.slug, m.outcomes, m.active, m.closed, m.archived, m.volume, e.title as event_title
  from market m left join event e on e.id = m.event`

const marketsPerStep = 1_000

/** What searches should find of the stored markets, in order of their ids. */
export const searchablesAfter = (sql: SqlClient, id: number) =>
  Effect.map(sql<StoredMarket>`${selected(sql)} where m.id > ${id} order by m.id limit ${marketsPerStep}`, (markets) =>
    markets.map(stored),
  )

/** Indexes markets that were stored before there was a search, or by an older version of it. Returns whether there may be more. */
const indexSome = (sql: SqlClient) =>
  Effect.gen(function* () {
    const markets = yield* sql<StoredMarket>`
      ${selected(sql)} where not exists (
        select from search_document d where d.kind = 'market' and d.id = m.id and d.version = ${documentVersion})
      order by m.id desc limit ${marketsPerStep}`
    yield* writeSearchables(sql, "market", markets.map(stored))
    return markets.length === marketsPerStep
  })

/** Indexes all markets that are not yet, the newest first, in transactions of their own. */
export const indexMissing = <E>(
  sql: SqlClient,
  tx: (step: Effect.Effect<boolean, SqlError>) => Effect.Effect<boolean, E>,
) => Effect.repeat(tx(indexSome(sql)), { while: (isMore) => isMore })
