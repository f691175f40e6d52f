import { Effect, Metric } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { EventRenderer } from "./EventRenderer.ts"
import { forkStore } from "./ForkStore.ts"
import { Needs, rowsOf } from "./Loaded.ts"
import { Mentions, namesOf } from "./Names.ts"
import { type Fork, takenBackBy } from "./retracted.ts"

const untold = Metric.counter("presage_feed_untold_total", {
  description: "Entries of the log that could not be told to anybody",
  incremental: true,
})

/** An entry of the log and what it says. Nothing is said of a fact that has been taken back meanwhile. */
export interface ToldEntry<A> {
  readonly event: LoggedEvent
  /** The block that it belongs to; null for what is not of the chain, and for what was taken back. */
  readonly block: bigint | null
  readonly told: ReadonlyArray<A>
}

/**
 * Tells entries of the log: reads what they refer to, leaves out what was taken back, and finds the names, with a few
 * queries however many entries there are. In the order of the entries, one for each.
 */
export const telling = Effect.gen(function* () {
  const loadRows = yield* rowsOf
  const loadNames = yield* namesOf
  const forksAfter = forkStore(yield* Postgres)
  const context = yield* Effect.context<never>()
  const report = Effect.runForkWith(context)

  /** One entry that cannot be told must not silence all that come after it. */
  const guarded = <A>({ seq, kind }: Pick<LoggedEvent, "seq" | "kind">, work: () => A | undefined): A | undefined => {
    try {
      return work()
    } catch (defect) {
      untold.updateUnsafe(1, context)
      report(Effect.logError(`event ${seq} (${kind}) cannot be told and is passed over`, defect))
      return undefined
    }
  }

  const forksSince = ([first]: ReadonlyArray<LoggedEvent>): Effect.Effect<ReadonlyArray<Fork>, SqlError> =>
    first === undefined ? Effect.succeed([]) : forksAfter(first.seq)

  return <A>(tellers: ReadonlyMap<string, EventRenderer<A>>) =>
    Effect.fnUntraced(function* (events: ReadonlyArray<LoggedEvent>) {
      const needs = new Needs()
      for (const event of events) guarded(event, () => tellers.get(event.kind)?.needs?.(event, needs))
      const loaded = yield* loadRows(needs)
      // After the rows, never beside them: rows of a block that has replaced another are only seen together with the
      // entry that takes the other one back.
      const isTakenBack = takenBackBy(yield* forksSince(events))
      const mentions = new Mentions()
      const found = events.map((event) => {
        const teller = tellers.get(event.kind)
        return guarded(event, () => {
          const block = teller?.block?.(event) ?? null
          if (block !== null && isTakenBack(event.seq, block)) return undefined
          const one = teller?.find(event, loaded, (of) => isTakenBack(event.seq, of))
          one?.mention?.(mentions)
          return { block, one }
        })
      })
      const names = yield* loadNames(mentions)
      return events.map((event, place): ToldEntry<A> => {
        const { block = null, one } = found[place] ?? {}
        return { event, block, told: guarded(event, () => one?.tell(names)) ?? [] }
      })
    })
})
