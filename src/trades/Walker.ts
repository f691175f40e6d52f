import { Context, Duration, Effect, Layer, Metric, Option, Schema } from "effect"
import { Permanent, Retryable } from "#src/mesh/Job.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { type ExportAsked, TradesExport } from "./contracts.ts"
import { ExportImpossible, WalkPosition } from "./model.ts"
import { exportCache, exportCacheBytes, exportCap, exportPage, exportTime } from "./settings.ts"
import { tradeStore } from "./TradeStore.ts"
import { walk } from "./walk.ts"

type Outcome = "whole" | "partial" | "unwanted" | "failed"
const walks = (outcome: Outcome) =>
  Metric.counter("presage_trades_export_walks_total", {
    description: "Walks through a wallet's trades for an export, by how they ended",
    incremental: true,
    attributes: { outcome },
  })
const pages = Metric.counter("presage_trades_export_pages_total", {
  description: "Pages of trades that walks have handed on",
  incremental: true,
})

const readPosition = Schema.decodeUnknownOption(WalkPosition)

/** Walks through trades for those who wait for them. */
export class Walker extends Context.Service<
  Walker,
  {
    readonly walk: (asked: ExportAsked) => Effect.Effect<void, Retryable | Permanent>
    /** Tells those who wait that it will not be done. */
    readonly giveUp: (asked: ExportAsked, reason: string) => Effect.Effect<void>
  }
>()("presage/trades/Walker") {
  static readonly layer = Layer.suspend(() => Layer.effect(Walker, make))
}

const make = Effect.gen(function* () {
  const flights = yield* Flights
  const config = yield* Configuration
  const postgres = yield* Postgres
  const store = tradeStore(postgres)

  const fly = Effect.fnUntraced(function* ({ flight, range, form, isRepeatable }: ExportAsked) {
    let outcome: Outcome = "unwanted"
    const limits = {
      cap: config.get(exportCap),
      page: config.get(exportPage),
      millis: Duration.toMillis(config.get(exportTime)),
    }
    yield* flights.fly(flight, ({ position, append }) =>
      Effect.gen(function* () {
        const asked = {
          range,
          form,
          limits,
          position: Option.getOrUndefined(Option.flatMap(position, readPosition)),
          append: (chunk: Uint8Array, reached: Schema.Json) =>
            Effect.andThen(append(chunk, reached), Metric.update(pages, 1)),
        }
        const end = yield* readSnapshot(postgres.exports, Effect.scoped(walk(store, asked)))
        outcome = end.reason === null ? "whole" : "partial"
        // With what is still to come before its end, it would be another one.
        const isOver = end.seen !== null && end.seen.at >= range.to * 1000
        if (end.reason !== null || !isRepeatable || !isOver) return { end }
        const millis = Duration.toMillis(config.get(exportCache))
        return { end, keep: { kind: TradesExport.name, millis, mostBytes: config.get(exportCacheBytes) } }
      }),
    )
    return outcome
  })

  return Walker.of({
    walk: (asked) =>
      fly(asked).pipe(
        Effect.tapError(() => Metric.update(walks("failed"), 1)),
        Effect.flatMap((outcome) => Metric.update(walks(outcome), 1)),
        Effect.mapError((error) =>
          error instanceof ExportImpossible
            ? new Permanent({ reason: error.reason })
            : new Retryable({ reason: describe(error) }),
        ),
      ),
    giveUp: ({ flight }, reason) =>
      Effect.catch(flights.giveUp(flight, reason), (error) =>
        Effect.logWarning(`those who wait for an export are not told that it failed: ${error.message}`),
      ),
  })
})
