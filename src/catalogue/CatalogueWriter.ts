import { Clock, Duration, Effect, Metric } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary, tokenOutcomes } from "#src/dictionary/Dictionary.ts"
import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { catalogueStore } from "./CatalogueStore.ts"
import { gameStore } from "./GameStore.ts"
import { referenceStore } from "./ReferenceStore.ts"
import type { MarketNumbers } from "./rows.ts"
import { priceThreshold } from "./settings.ts"

const rows = (table: string) =>
  Metric.counter("presage_catalogue_rows_total", {
    description: "Rows of the catalogue that were new or had changed",
    incremental: true,
    attributes: { table },
  })
const announced = (kind: string) =>
  Metric.counter("presage_catalogue_announced_total", {
    description: "Markets that were found to be new or resolved",
    incremental: true,
    attributes: { kind },
  })

/** What came in one answer. */
export interface Batch {
  readonly events: ReadonlyArray<CatalogueEvent>
  /** Markets that belong to no event. */
  readonly strays?: ReadonlyArray<Market>
  readonly askedAt: number
}

/** Brings what the venue said into the tables, all of an answer or nothing of it. */
export const catalogueWriter = (tx: Lease["tx"]) =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const dictionary = yield* Dictionary
    const store = yield* catalogueStore
    const games = yield* gameStore
    const reference = yield* referenceStore

    const numbersOf = (markets: ReadonlyArray<Market>) =>
      Effect.gen(function* () {
        const conditions = yield* dictionary.conditions(markets.flatMap(({ condition }) => condition ?? []))
        const conditionOf = ({ condition }: Market) => (condition === null ? undefined : conditions.get(condition))
        const homes = tokenOutcomes(
          markets.flatMap((market) => {
            const condition = conditionOf(market)
            return condition === undefined ? [] : [[condition, market.tokens] as const]
          }),
        )
        const tokens = yield* dictionary.tokens(
          markets.flatMap((market) => market.tokens),
          homes,
        )
        return new Map<number, MarketNumbers>(
          markets.map((market) => [
            market.id,
            {
              condition: conditionOf(market) ?? null,
              tokens: market.tokens.flatMap((token) => tokens.get(token) ?? []),
            },
          ]),
        )
      })

    /** `also` belongs to the same transaction. */
    return ({ events, strays = [], askedAt }: Batch, also: Effect.Effect<void, SqlError> = Effect.void) =>
      Effect.gen(function* () {
        const markets = [...events.flatMap((event) => event.markets), ...strays]
        // Numbers outlive a transaction that fails, so they are given before it.
        const numbers = yield* numbersOf(markets)
        const now = yield* Clock.currentTimeMillis
        const options = {
          now,
          announceAfter: now - Duration.toMillis(config.get(eventLogRetention)),
          threshold: Math.round(config.get(priceThreshold) * 1_000_000),
        }
        const written = yield* tx(
          Effect.gen(function* () {
            yield* reference.writeTags(events.flatMap(({ tags }) => tags))
            yield* reference.addSeries(events.flatMap(({ series }) => series ?? []))
            yield* games.writeFromCatalogue(events, askedAt)
            const written = yield* store.write(events, markets, numbers, options)
            yield* also
            return written
          }),
        )
        yield* Metric.update(rows("event"), written.events)
        yield* Metric.update(rows("market"), written.markets)
        yield* Metric.update(announced("created"), written.created)
        yield* Metric.update(announced("resolved"), written.resolved)
        return written
      })
  })
