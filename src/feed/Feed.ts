import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import type { FeedEntry } from "./model.ts"
import { renderEvents } from "./renderEvents.ts"
import { renderers } from "./renderers/index.ts"

/** The event log as subscribers see it: entries with their public messages. */
export class Feed extends Context.Service<
  Feed,
  {
    /**
     * Renders entries in their order: one FeedEntry per LoggedEvent, without messages where the fact was retracted or the
     * kind is internal.
     */
    readonly render: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<ReadonlyArray<FeedEntry>, SqlError>
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
      const renderAll = (yield* renderEvents)(renderers)

      const render = (events: ReadonlyArray<LoggedEvent>) =>
        Effect.map(renderAll(events), (entries) =>
          entries.map(({ event, rendered }): FeedEntry => {
            const [seq, at] = [Number(event.seq), event.recordedAt]
            return { seq, at, kind: event.kind, messages: rendered.map((message) => ({ seq, at, ...message })) }
          }),
        )

      return Feed.of({
        render,
        read: ({ after, limit }) => Effect.flatMap(log.read({ after: BigInt(after), limit }), render),
      })
    }),
  )
}
