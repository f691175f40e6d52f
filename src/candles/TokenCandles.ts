import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { type Name, nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { tokenConditions } from "#src/positions/PositionFilter.ts"
import { marketJoin, titleSql } from "#src/positions/positionSql.ts"
import { readCandles, readClose, readNeighbours } from "./CandleStore.ts"
import { fillGaps } from "./fillGaps.ts"
import type { Candle, CandleWindow } from "./model.ts"

/** A token whose candles are read, with its market; names are null while that is not listed. */
export interface Outcome {
  readonly id: number
  readonly token: string
  readonly condition: string | null
  readonly index: number | null
  readonly name: string | null
  readonly question: string | null
  readonly slug: string | null
  readonly image: string | null
}

export interface Series {
  readonly outcome: Outcome
  readonly candles: ReadonlyArray<Candle>
  /** Seconds with the next trades on either side of the window. */
  readonly older: number | undefined
  readonly newer: number | undefined
}

export interface Market {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly asOf: AsOf | undefined
}

interface OutcomeRow extends AsOfRow {
  readonly id: number
  readonly hash: string
  readonly condition: string | null
  readonly outcome: number | null
  readonly name: string | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
}

const outcomeOf = (row: OutcomeRow): Outcome => ({
  id: row.id,
  token: tokenOfHex(row.hash),
  condition: row.condition,
  index: row.outcome,
  name: row.name,
  question: row.title,
  slug: row.slug,
  image: row.image,
})

export type MarketName = Name & { readonly kind: "token" | "condition" | "market" }

const readOutcomes = (sql: SqlClient, { kind, value }: MarketName) => {
  const named = { token: { tokenId: value }, condition: { conditionId: value }, market: { marketSlug: value } }[kind]
  return sql<OutcomeRow>`
    select head.*, t.id, encode(t.hash, 'hex') as hash, '0x' || encode(c.hash, 'hex') as condition, t.outcome,
      m.outcomes ->> t.outcome as name, ${sql.literal(titleSql)} as title, m.slug, m.image
    from (
      select o.* from (select t.id, t.condition from token t where ${sql.and(tokenConditions(sql, named))} limit 1) one
      join token o on o.id = one.id or o.condition = one.condition) t
    left join condition c on c.id = t.condition ${sql.literal(marketJoin)} cross join (${sql.literal(asOfSql)}) head
    order by t.outcome, t.id`
}

/** Candles of tokens from their trades. */
export class TokenCandles extends Context.Service<
  TokenCandles,
  {
    /** All outcomes of the market that a name belongs to. */
    readonly market: (name: MarketName) => Effect.Effect<Market, UnknownName | SqlError>
    /** The time of a block, Unix seconds; undefined if the ledger does not have it. */
    readonly blockTime: (block: number) => Effect.Effect<number | undefined, SqlError>
    readonly series: (
      market: Market,
      outcome: Outcome,
      window: CandleWindow,
      withGaps: boolean,
    ) => Effect.Effect<Series, SqlError>
  }
>()("presage/candles/TokenCandles") {
  static readonly layer = Layer.effect(
    TokenCandles,
    Effect.gen(function* () {
      const { lookups, planned, reads } = yield* Postgres
      const names = nameStore(reads)
      return TokenCandles.of({
        market: Effect.fn("TokenCandles.market")(function* (name) {
          const rows = yield* readOutcomes(lookups, name)
          if (rows.length === 0) yield* names.check([name])
          return { outcomes: rows.map(outcomeOf), asOf: asOfIn(rows[0]) }
        }),
        blockTime: Effect.fn("TokenCandles.blockTime")((block) =>
          Effect.map(
            lookups<{ at: number }>`select extract(epoch from at)::int as at from block where number = ${block}`,
            ([row]) => row?.at,
          ),
        ),
        series: Effect.fn("TokenCandles.series")(function* ({ outcomes, asOf }, outcome, window, withGaps) {
          const source = { token: outcome.id, outcomes: outcomes.map(({ id }) => id) }
          const [found, { older, newer }] = yield* Effect.all(
            [readCandles(planned, source, window), readNeighbours(planned, outcome.id, window)],
            { concurrency: 2 },
          )
          if (!withGaps) return { outcome, candles: found, older, newer }
          const before = older === undefined ? undefined : yield* readClose(planned, source, older)
          const until = asOf === undefined ? 0 : Math.floor(asOf.at.getTime() / 1000) + 1
          return { outcome, candles: fillGaps(window, found, before, until), older, newer }
        }),
      })
    }),
  )
}
