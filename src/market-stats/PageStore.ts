import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AsOf } from "#src/ledger/asOf.ts"
import { type MarketRow, marketColumns, marketJoins, marketOf, type ShownMarket } from "#src/markets/ShownMarket.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { countColumns, type MarketStatus, statuses, windows } from "./model.ts"

/** What is traded of a market or an event. Null while it is not counted. */
export interface ShownFigures {
  readonly status: MarketStatus
  /** In the order of the windows; dollars of 10⁻⁶. */
  readonly volumes: ReadonlyArray<bigint | null>
  readonly trades: ReadonlyArray<number | null>
  readonly traders: ReadonlyArray<number | null>
  /** Of the order books, as the venue says, in 10⁻⁶ dollars. */
  readonly liquidity: bigint | null
}

export interface ListedMarket extends ShownFigures {
  readonly market: ShownMarket
  /** Of the first outcome, in 10⁻⁶ dollars. */
  readonly price: number | null
  readonly priceChange: number | null
}

export interface ListedEvent extends ShownFigures {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly category: string | null
  readonly image: string | null
  readonly tags: ReadonlyArray<string>
  readonly active: boolean
  readonly closed: boolean
  readonly negRisk: boolean
  /** As the venue counts it, in 10⁻⁶ dollars. */
  readonly volume: bigint | null
  readonly startsAt: Date | null
  readonly endsAt: Date | null
  readonly createdAt: Date | null
  readonly conditions: ReadonlyArray<string>
}

/** Rows of one version of the figures. */
export interface FigurePage<A> {
  readonly version: bigint
  readonly asOf: AsOf
  /** Whether every window reaches back as far as its length, or as the ledger's facts. */
  readonly isComplete: boolean
  readonly rows: ReadonlyArray<A>
}

interface StateRow {
  readonly version: bigint
  readonly as_of_block: number
  readonly as_of_at: Date
  readonly as_of_seq: bigint
  readonly complete: boolean
}

type CountRow = Readonly<Record<(typeof countColumns)[number], bigint | number | null>>

interface FigureRow extends CountRow {
  /** Null in the only row of an empty page. */
  readonly place: bigint | null
  readonly status_number: number
  readonly book_liquidity: bigint | null
}

const figuresOf = (row: FigureRow): ShownFigures => ({
  status: statuses[row.status_number] ?? "open",
  volumes: windows.map((window) => {
    const usd = row[`usd_${window}`]
    return usd === null ? null : BigInt(usd)
  }),
  trades: windows.map((window) => row[`trades_${window}`] as number | null),
  traders: windows.map((window) => row[`traders_${window}`] as number | null),
  liquidity: row.book_liquidity,
})

const state =
  "select version, block as as_of_block, at as as_of_at, seq as as_of_seq, complete from market_figure_state offset 0"
const figures = `n.place, f.status as status_number, f.liquidity as book_liquidity, ${countColumns.map((column) => `f.${column}`).join(", ")}`
const inOrder = (sql: SqlClient, scopes: ReadonlyArray<number>) => sql`
  from (${sql.literal(state)}) state
  left join unnest(${pgArray("int4", scopes)}) with ordinality n(scope, place) on true
  left join market_figure f on f.scope = n.scope`

const pageOf = <Row extends StateRow & FigureRow, A>(rows: ReadonlyArray<Row>, read: (row: Row) => A) => {
  const [first] = rows
  if (first === undefined) return undefined
  const page: FigurePage<A> = {
    version: first.version,
    asOf: { block: first.as_of_block, at: first.as_of_at, seq: first.as_of_seq },
    isComplete: first.complete,
    rows: rows.flatMap((row) => (row.place === null ? [] : [read(row)])),
  }
  return page
}

interface ListedMarketRow extends StateRow, FigureRow, MarketRow {
  readonly price: number | null
  readonly price_change_24h: number | null
}

/** Undefined until figures are counted. */
export const readMarkets = (sql: SqlClient, scopes: ReadonlyArray<number>) =>
  Effect.map(
    sql<ListedMarketRow>`
      select state.*, ${sql.literal(figures)}, f.price, f.price_change_24h, ${sql.literal(marketColumns)}
      ${inOrder(sql, scopes)}
      left join lateral (select n.scope as condition) t on true
      ${sql.literal(marketJoins)} order by n.place`,
    (rows) =>
      pageOf(
        rows,
        (row): ListedMarket => ({
          ...figuresOf(row),
          market: marketOf(row),
          price: row.price,
          priceChange: row.price_change_24h,
        }),
      ),
  )

interface ListedEventRow
  extends StateRow,
    FigureRow,
    Pick<
      ListedEvent,
      "id" | "slug" | "title" | "category" | "image" | "tags" | "active" | "closed" | "volume" | "conditions"
    > {
  readonly neg_risk: boolean
  readonly starts_at: Date | null
  readonly ends_at: Date | null
  readonly created_at: Date | null
}

/** Undefined until figures are counted. */
export const readEvents = (sql: SqlClient, scopes: ReadonlyArray<number>) =>
  Effect.map(
    sql<ListedEventRow>`
      select state.*, ${sql.literal(figures)}, e.id, e.slug, e.title, e.category, e.image, e.tags, e.active, e.closed,
        e.neg_risk, e.volume, e.starts_at, e.ends_at, e.created_at,
        array(
          select '0x' || encode(c.hash, 'hex') from condition c
          where c.id in (select k.condition from token k where k.event = e.id) order by c.id) as conditions
      ${inOrder(sql, scopes)}
      left join event e on e.id = -n.scope order by n.place`,
    (rows) =>
      pageOf(
        rows,
        ({ neg_risk, starts_at, ends_at, created_at, ...row }): ListedEvent => ({
          ...figuresOf(row),
          id: row.id,
          slug: row.slug,
          title: row.title,
          category: row.category,
          image: row.image,
          tags: row.tags,
          active: row.active,
          closed: row.closed,
          negRisk: neg_risk,
          volume: row.volume,
          startsAt: starts_at,
          endsAt: ends_at,
          createdAt: created_at,
          conditions: row.conditions,
        }),
      ),
  )
