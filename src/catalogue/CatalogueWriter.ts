import { Clock, Duration, Effect, Metric } from "effect"
import { Dictionary, tokenOutcomes } from "#src/dictionary/Dictionary.ts"
import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as CatalogueStore from "./CatalogueStore.ts"
import * as GameStore from "./GameStore.ts"
import * as ReferenceStore from "./ReferenceStore.ts"
import type { MarketIds } from "./rows.ts"
import { priceThreshold } from "./settings.ts"

const rows = (table: string) =>
  Metric.counter("presage_catalogue_rows_total", {
    description: "Inserted and changed rows of the catalogue",
    incremental: true,
    attributes: { table },
  })
const announced = (kind: string) =>
  Metric.counter("presage_catalogue_announced_total", {
    description: "New and resolved markets",
    incremental: true,
    attributes: { kind },
  })

/** The content of one response. */
export interface Batch {
  readonly events: ReadonlyArray<CatalogueEvent>
  /** Events that were written before as they are, whose games may have changed since. */
  readonly unchanged?: ReadonlyArray<CatalogueEvent>
  /** Markets without an event. */
  readonly standaloneMarkets?: ReadonlyArray<Market>
  readonly requestedAt: number
}

/** Returns a function that writes a batch in one transaction. */
export const catalogueWriter = (tx: Lease["tx"]) =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const dictionary = yield* Dictionary
    const { sql } = yield* Postgres
    const log = yield* EventLog

    const assignIds = (markets: ReadonlyArray<Market>) =>
      Effect.gen(function* () {
        const conditions = yield* dictionary.conditions(markets.flatMap(({ condition }) => condition ?? []))
        const conditionOf = ({ condition }: Market) => (condition === null ? undefined : conditions.get(condition))
        const outcomes = tokenOutcomes(
          markets.flatMap((market) => {
            const condition = conditionOf(market)
            return condition === undefined ? [] : [[condition, market.tokens] as const]
          }),
        )
        const tokens = yield* dictionary.tokens(
          markets.flatMap((market) => market.tokens),
          outcomes,
        )
        return new Map<number, MarketIds>(
          markets.map((market) => [
            market.id,
            {
              condition: conditionOf(market) ?? null,
              tokens: market.tokens.flatMap((token) => tokens.get(token) ?? []),
            },
          ]),
        )
      })

    let isRead = false
    /** What happened before the catalogue was first read is history, which nobody waits for. */
    const announceAfter = (now: number) =>
      Effect.gen(function* () {
        const begun = isRead ? undefined : yield* ReferenceStore.firstReadSince(sql, now)
        isRead = begun === undefined
        return Math.max(begun ?? 0, now - Duration.toMillis(config.get(eventLogRetention)))
      })

    return ({ events, unchanged = [], standaloneMarkets = [], requestedAt }: Batch) =>
      Effect.gen(function* () {
        const markets = [...events.flatMap((event) => event.markets), ...standaloneMarkets]
        // Before the transaction: ids stay assigned even if it fails.
        const ids = yield* assignIds(markets)
        const now = yield* Clock.currentTimeMillis
        const threshold = Math.round(config.get(priceThreshold) * 1_000_000)
        const written = yield* tx(
          Effect.gen(function* () {
            yield* ReferenceStore.writeTags(
              sql,
              events.flatMap(({ tags }) => tags),
            )
            yield* ReferenceStore.addSeries(
              sql,
              events.flatMap(({ series }) => series ?? []),
            )
            const gamesInNewPhase = yield* GameStore.writeFromCatalogue(
              sql,
              log,
              [...events, ...unchanged],
              requestedAt,
            )
            const options = { now, announceAfter: yield* announceAfter(now), threshold, gamesInNewPhase }
            return yield* CatalogueStore.write(sql, log, events, markets, ids, options)
          }),
        )
        yield* Metric.update(rows("event"), written.events)
        yield* Metric.update(rows("market"), written.markets)
        yield* Metric.update(announced("created"), written.created)
        yield* Metric.update(announced("resolved"), written.resolved)
        return written
      })
  })
