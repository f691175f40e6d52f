import { Context, Duration, Effect, Layer, Metric, Option, Schema } from "effect"
import { Permanent, Retryable } from "#src/mesh/Job.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { type ExportRequest, TradesExport } from "./contracts.ts"
import { ExportImpossible, WalkPosition } from "./model.ts"
import { exportCache, exportCacheBytes, exportCap, exportPage, exportTime } from "./settings.ts"
import { tradeStore } from "./TradeStore.ts"
import { walk } from "./walk.ts"

type WalkStatus = "whole" | "partial" | "unwanted" | "failed"
const walks = (outcome: WalkStatus) =>
  Metric.counter("presage_trades_export_walks_total", {
    description: "Walks over a wallet's trades for an export, by result",
    incremental: true,
    attributes: { outcome },
  })
const pages = Metric.counter("presage_trades_export_pages_total", {
  description: "Pages of trades sent by walks",
  incremental: true,
})

const readPosition = Schema.decodeUnknownOption(WalkPosition)

/** Walks trades for exports. */
export class Walker extends Context.Service<
  Walker,
  {
    readonly walk: (request: ExportRequest) => Effect.Effect<void, Retryable | Permanent>
    /** Reports a permanent failure to the waiting clients. */
    readonly fail: (request: ExportRequest, reason: string) => Effect.Effect<void>
  }
>()("presage/trades/Walker") {
  static readonly layer = Layer.suspend(() => Layer.effect(Walker, make))
}

const make = Effect.gen(function* () {
  const runs = yield* SharedRuns
  const config = yield* Configuration
  const postgres = yield* Postgres
  const store = tradeStore(postgres)

  const walkRun = Effect.fnUntraced(function* ({ run, range, form, isRepeatable }: ExportRequest) {
    let outcome: WalkStatus = "unwanted"
    const limits = {
      cap: config.get(exportCap),
      page: config.get(exportPage),
      millis: Duration.toMillis(config.get(exportTime)),
    }
    yield* runs.run(run, ({ position, append }) =>
      Effect.gen(function* () {
        const walkOptions = {
          range,
          form,
          limits,
          position: Option.getOrUndefined(Option.flatMap(position, readPosition)),
          append: (chunk: Uint8Array, reached: Schema.Json) =>
            Effect.andThen(append(chunk, reached), Metric.update(pages, 1)),
        }
        const end = yield* readSnapshot(postgres.exports, Effect.scoped(walk(store, walkOptions)))
        outcome = end.reason === null ? "whole" : "partial"
        // A range that has not ended yet may get more trades, so the export is not kept.
        const isOver = end.seen !== null && end.seen.at >= range.to * 1000
        if (end.reason !== null || !isRepeatable || !isOver) return { end }
        const millis = Duration.toMillis(config.get(exportCache))
        return { end, keep: { kind: TradesExport.name, millis, mostBytes: config.get(exportCacheBytes) } }
      }),
    )
    return outcome
  })

  return Walker.of({
    walk: Effect.fn("Walker.walk")((request) =>
      walkRun(request).pipe(
        Effect.tapError(() => Metric.update(walks("failed"), 1)),
        Effect.flatMap((outcome) => Metric.update(walks(outcome), 1)),
        Effect.mapError((error) =>
          error instanceof ExportImpossible
            ? new Permanent({ reason: error.reason })
            : new Retryable({ reason: describe(error) }),
        ),
      ),
    ),
    fail: Effect.fn("Walker.fail")(({ run }, reason) =>
      Effect.catch(runs.fail(run, reason), (error) =>
        Effect.logWarning(`failed to report a failed export to its clients: ${error.message}`),
      ),
    ),
  })
})
