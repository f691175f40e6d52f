import { Effect, Metric } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { EventRenderer } from "./EventRenderer.ts"
import * as ForkStore from "./ForkStore.ts"
import { loadRows, RowNeeds } from "./LoadedRows.ts"
import { Mentions, nameLoader } from "./Names.ts"

const unrendered = Metric.counter("presage_feed_untold_total", {
  description: "Event log entries that failed to render",
  incremental: true,
})

/** A log entry and what was rendered from it: nothing if its fact has been retracted. */
export interface RenderedEntry<A> {
  readonly event: LoggedEvent
  /** The entry's block; null outside the chain and for retracted facts. */
  readonly block: bigint | null
  readonly rendered: ReadonlyArray<A>
}

/**
 * Renders log entries: loads the rows that they refer to, leaves out retracted facts and loads the names, with a few
 * queries for any number of entries. Returns one result per entry, in their order.
 */
export const renderEvents = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const loadNames = yield* nameLoader
  const context = yield* Effect.context<never>()
  const report = Effect.runForkWith(context)

  /** One entry that fails to render must not stop the ones after it. */
  const guarded = <A>({ seq, kind }: Pick<LoggedEvent, "seq" | "kind">, work: () => A | undefined): A | undefined => {
    try {
      return work()
    } catch (defect) {
      unrendered.updateUnsafe(1, context)
      report(Effect.logError(`failed to render event ${seq} (${kind}); skipped`, defect))
      return undefined
    }
  }

  const forksSince = ([first]: ReadonlyArray<LoggedEvent>): Effect.Effect<ReadonlyArray<ForkStore.Fork>, SqlError> =>
    first === undefined ? Effect.succeed([]) : ForkStore.forksAfter(reads, first.seq)

  return <A>(renderers: ReadonlyMap<string, EventRenderer<A>>) =>
    Effect.fnUntraced(function* (events: ReadonlyArray<LoggedEvent>) {
      const needs = new RowNeeds()
      for (const event of events) guarded(event, () => renderers.get(event.kind)?.needs?.(event, needs))
      const rows = yield* loadRows(reads, needs)
      // After the rows, never concurrently: rows of a replacement block are visible only together with the reorg entry
      // that retracts the replaced one.
      const isRetracted = ForkStore.retractedBy(yield* forksSince(events))
      const mentions = new Mentions()
      const found = events.map((event) => {
        const renderer = renderers.get(event.kind)
        return guarded(event, () => {
          const block = renderer?.block?.(event) ?? null
          if (block !== null && isRetracted(event.seq, block)) return undefined
          const one = renderer?.find(event, rows, (of) => isRetracted(event.seq, of))
          one?.mention?.(mentions)
          return { block, one }
        })
      })
      const names = yield* loadNames(mentions)
      return events.map((event, index): RenderedEntry<A> => {
        const { block = null, one } = found[index] ?? {}
        return { event, block, rendered: guarded(event, () => one?.render(names)) ?? [] }
      })
    })
})
