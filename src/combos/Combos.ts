import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { findOwner, type List, readPage } from "#src/activity/listSql.ts"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import { hexOfToken } from "#src/domain/TokenId.ts"
import type { Wallet } from "#src/domain/Wallet.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type ComboMarketPage, type ComboMarketQuery, readComboMarkets } from "./ComboMarketStore.ts"
import { comboDetails } from "./comboDetails.ts"
import { sourcesOf } from "./eventSql.ts"
import { findCombo, type NamedCombo } from "./findCombo.ts"
import { eventList, redemptionList, tradeList } from "./lists.ts"
import type {
  ComboEvent,
  ComboPage,
  ComboQuery,
  ComboRedemption,
  ComboTrade,
  ListedCombo,
  UnknownCombo,
} from "./model.ts"
import { type ComboSummary, readSummary } from "./SummaryStore.ts"

/** With 0x. */
const conditionOf = (token: string) => `0x${conditionOfPosition(hexOfToken(token))}`

type NoCombo = UnknownCombo | ConflictingFilters | SqlError
type Pages<A> = (query: ComboQuery) => Effect.Effect<ComboPage<A>, NoCombo>

/** Combos, and what happened to them. A filter that names an unknown combo fails. */
export class Combos extends Context.Service<
  Combos,
  {
    readonly events: Pages<ComboEvent>
    readonly trades: Pages<ComboTrade>
    readonly redemptions: Pages<ComboRedemption>
    readonly markets: (
      query: Omit<ComboMarketQuery, "condition"> & Omit<NamedCombo, "position">,
    ) => Effect.Effect<ComboMarketPage, NoCombo>
    /** Fails if there is no such combo. */
    readonly check: (named: NamedCombo) => Effect.Effect<void, NoCombo>
    /** How many combos a wallet holds, and when it last did something with one. */
    readonly summary: (wallet: Wallet) => Effect.Effect<ComboSummary, SqlError>
    /** By condition with 0x. */
    readonly details: (conditions: Iterable<string>) => Effect.Effect<ReadonlyMap<string, ListedCombo>, SqlError>
  }
>()("presage/combos/Combos") {
  static readonly layer = Layer.effect(
    Combos,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const details = comboDetails(reads, yield* Enrichment)

      const pageOf = <Row extends object, A extends ComboEvent>(
        { filter, ...page }: ComboQuery,
        listOf: (sources: ReturnType<typeof sourcesOf>) => List<Row, A>,
      ) =>
        Effect.gen(function* () {
          const combo = yield* findCombo(reads, filter)
          const { wallet: owner, after, before } = filter
          const id = yield* findOwner(reads, { owner })
          const list = listOf(sourcesOf(filter.kinds, combo, filter))
          const found = yield* readPage(sql, list, { ...page, filter: { owner, after, before } }, id)
          const combos = yield* details(new Set(found.rows.map(({ condition }) => condition)))
          return { ...found, rows: found.rows.map((row) => ({ ...row, combo: combos.get(row.condition) })) }
        })

      const withRemaining = Effect.fnUntraced(function* (page: ComboPage<ComboRedemption>) {
        const conditions = page.rows.flatMap(({ remaining }) =>
          remaining === undefined ? [] : [conditionOf(remaining.token)],
        )
        const combos = yield* details(new Set(conditions))
        const rows = page.rows.map((row) => {
          const { remaining } = row
          return remaining === undefined
            ? row
            : { ...row, remaining: { ...remaining, combo: combos.get(conditionOf(remaining.token)) } }
        })
        return { ...page, rows }
      })

      return Combos.of({
        events: Effect.fn("Combos.events")((query) => pageOf(query, eventList)),
        trades: Effect.fn("Combos.trades")((query) => pageOf(query, tradeList)),
        redemptions: Effect.fn("Combos.redemptions")((query) =>
          Effect.flatMap(pageOf(query, redemptionList), withRemaining),
        ),
        markets: Effect.fn("Combos.markets")(function* ({ condition, conditionParameter, ...query }) {
          const combo = yield* findCombo(reads, { condition, conditionParameter })
          const page = yield* readComboMarkets(sql, { ...query, condition: combo?.condition })
          const combos = yield* details(new Set(page.rows.map((row) => row.condition)))
          return { ...page, rows: page.rows.map((row) => ({ ...row, combo: combos.get(row.condition) })) }
        }),
        check: Effect.fn("Combos.check")((named) => Effect.asVoid(findCombo(reads, named))),
        summary: Effect.fn("Combos.summary")((wallet: string) => readSummary(reads, wallet)),
        details: Effect.fn("Combos.details")(details),
      })
    }),
  )
}
