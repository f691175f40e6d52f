import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import type { FeedEntry } from "./model.ts"
import { telling } from "./renderEvents.ts"
import { tellers } from "./renderers/index.ts"

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
      const tellAll = (yield* telling)(tellers)

      const tell = (events: ReadonlyArray<LoggedEvent>) =>
        Effect.map(tellAll(events), (entries) =>
          entries.map(({ event, told }): FeedEntry => {
            const [seq, at] = [Number(event.seq), event.recordedAt]
            return { seq, at, kind: event.kind, messages: told.map((message) => ({ seq, at, ...message })) }
          }),
        )

      return Feed.of({
        tell,
        read: ({ after, limit }) => Effect.flatMap(log.read({ after: BigInt(after), limit }), tell),
      })
    }),
  )
}
