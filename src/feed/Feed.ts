import { Context, Effect, Layer, Metric } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { forkStore } from "./ForkStore.ts"
import { Needs, rowsOf } from "./Loaded.ts"
import type { FeedEntry } from "./model.ts"
import { Mentions, namesOf } from "./Names.ts"
import { type Fork, takenBackBy } from "./standing.ts"
import { tellers } from "./tellers/index.ts"

const untold = Metric.counter("presage_feed_untold_total", {
  description: "Entries of the log that could not be told to anybody",
  incremental: true,
})

/** The log as subscribers hear it: entries with what they say, in public shapes. */
export class Feed extends Context.Service<
  Feed,
  {
    /**
     * What these entries say, in their order; one FeedEntry per LoggedEvent, with no messages where the fact has been
     * taken back or the kind is nobody's business.
     */
    readonly tell: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<ReadonlyArray<FeedEntry>, SqlError>
    /** Entries after a seq, oldest first. */
    readonly read: (options: {
      readonly after: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<FeedEntry>, SqlError>
  }
>()("presage/feed/Feed") {
  static readonly layer = Layer.effect(
    Feed,
    Effect.gen(function* () {
      const log = yield* EventLog
      const loadRows = yield* rowsOf
      const loadNames = yield* namesOf
      const forksAfter = forkStore(yield* Postgres)
      const context = yield* Effect.context<never>()
      const report = Effect.runForkWith(context)

      /** One entry that cannot be told must not silence all that come after it. */
      const guarded = <A>(
        { seq, kind }: Pick<LoggedEvent, "seq" | "kind">,
        work: () => A | undefined,
      ): A | undefined => {
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

      const tell = Effect.fnUntraced(function* (events: ReadonlyArray<LoggedEvent>) {
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
            return one
          })
        })
        const names = yield* loadNames(mentions)
        return events.map(({ seq, recordedAt: at, kind }, place): FeedEntry => {
          const entry = { seq: Number(seq), at, kind }
          const told = guarded({ seq, kind }, () => found[place]?.tell(names)) ?? []
          return { ...entry, messages: told.map((message) => ({ seq: entry.seq, at, ...message })) }
        })
      })

      return Feed.of({
        tell,
        read: ({ after, limit }) => Effect.flatMap(log.read({ after: BigInt(after), limit }), tell),
      })
    }),
  )
}
