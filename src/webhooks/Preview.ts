import { Clock, Context, Duration, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/keys/model.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { type Filters, type WebhookEventType, WebhookId } from "./model.ts"
import { type Envelope, envelopeOf } from "./polling/envelope.ts"
import { eventIdOf } from "./polling/eventId.ts"
import type { Owed, Watcher } from "./polling/model.ts"
import { forEachPoller } from "./polling/pollers/index.ts"
import { foreseeing } from "./polling/preview.ts"
import { webhooksPreview } from "./settings.ts"

export interface PreviewOptions {
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  /** As they are stored: checked and in one spelling. */
  readonly filters: Filters
}

/** What a webhook would have been sent. */
export interface Previewed {
  readonly matched: number
  readonly by_type: Readonly<Record<string, number>>
  /** How much of the log was looked at. */
  readonly scanned: number
  readonly since: Date
  /** Whether that is all of the last 24 hours. */
  readonly complete: boolean
  /** The newest, of each type in turn, as they would have been sent. */
  readonly samples: ReadonlyArray<Envelope>
}

const window = Duration.toMillis("24 hours")
const mostSamples = 5
/** Each reads much, in a process that others wait for. */
const atOnce = 2

/** Ids of samples are those that a webhook of this id would have. */
const nobody: Omit<Watcher, "filters"> = {
  id: WebhookId.make("wh_000000000000"),
  account: "" as AccountId,
  since: -1n,
  active: true,
}

/** One of each type, then the second of each, and so on. */
const inTurn = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> =>
  Array.from({ length: mostSamples }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat()

/** What webhooks would have been sent lately. */
export class Preview extends Context.Service<
  Preview,
  { readonly preview: (options: PreviewOptions) => Effect.Effect<Previewed, SqlError> }
>()("presage/webhooks/Preview") {
  static readonly layer = Layer.effect(
    Preview,
    Effect.gen(function* () {
      const log = yield* EventLog
      const config = yield* Configuration
      const turns = yield* Semaphore.make(atOnce)
      const foresee = yield* foreseeing
      const foreseers = yield* forEachPoller((poller) => Effect.sync(() => foresee(poller)))

      /** The last 24 hours, or as many of the newest entries as so many pollers together may look at. */
      const beginning = Effect.fnUntraced(function* (now: number, readers: number) {
        const start = now - window
        const bound = yield* log.before(Math.ceil(config.get(webhooksPreview) / Math.max(1, readers)))
        const [first] = bound === 0n ? [] : yield* log.read({ after: bound, limit: 1 })
        if (first !== undefined && first.recordedAt >= start)
          return { after: bound, since: new Date(first.recordedAt), complete: false }
        return { after: yield* log.recordedBefore(start), since: new Date(start), complete: true }
      })

      const preview = Effect.fnUntraced(function* ({ eventTypes, filters }: PreviewOptions) {
        const now = yield* Clock.currentTimeMillis
        const byType = new Map<WebhookEventType, number>(eventTypes.map((type) => [type, 0]))
        const asked = foreseers.filter(({ type }) => byType.has(type))
        const { after, since, complete } = yield* beginning(now, asked.length)
        const head = yield* log.head
        const watcher: Watcher = { ...nobody, filters }
        const newest = new Map<WebhookEventType, ReadonlyArray<Owed>>()
        for (const { type, after: foreseenAfter } of asked) {
          const foreseen = yield* foreseenAfter(after, watcher, mostSamples)
          byType.set(type, (byType.get(type) ?? 0) + foreseen.count)
          newest.set(type, inTurn([newest.get(type) ?? [], foreseen.newest]))
        }
        const samples = [...newest].map(([type, owed]) =>
          owed.map(({ identity, data }) => envelopeOf(type, eventIdOf(watcher.id, type, identity), now, data)),
        )
        return {
          matched: [...byType.values()].reduce((sum, count) => sum + count, 0),
          by_type: Object.fromEntries(byType),
          scanned: Number(head > after ? head - after : 0n),
          since,
          complete,
          samples: inTurn(samples).slice(0, mostSamples),
        } satisfies Previewed
      })

      return Preview.of({ preview: (options) => turns.withPermit(preview(options)) })
    }),
  )
}
