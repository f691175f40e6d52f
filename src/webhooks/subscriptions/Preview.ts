import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { type Filters, type WebhookEventType, WebhookId } from "../model.ts"
import { type Envelope, envelopeOf } from "../polling/envelope.ts"
import { eventIdOf } from "../polling/eventId.ts"
import type { Owed, Watcher } from "../polling/model.ts"
import { forEachPoller } from "../polling/pollers/index.ts"
import { type Foreseeing, foreseeing } from "../polling/preview.ts"
import { webhooksPreview, webhooksPreviewBudget } from "../settings.ts"
import { PreviewBusy } from "./refusals.ts"

export interface PreviewOptions {
  /** Who asks, and is served once at a time. */
  readonly account?: AccountId | undefined
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  /** As they are stored: checked and in one spelling. */
  readonly filters: Filters
}

/** What a webhook would have been sent. */
export interface Previewed {
  readonly matched: number
  readonly by_type: Readonly<Record<string, number>>
  /** How many entries of the log were looked at. */
  readonly scanned: number
  readonly since: Date
  /** Whether that is all of the last 24 hours. */
  readonly complete: boolean
  /** The newest, of each type in turn, as they would have been sent. */
  readonly samples: ReadonlyArray<Envelope>
}

/** How far to look back: farther each time, because what is looked at goes forward and the newest must be in it. */
const spans = ["1 minute", "5 minutes", "20 minutes", "1 hour", "3 hours", "8 hours", "24 hours"] as const
const longest = Duration.toMillis("24 hours")
const mostSamples = 5
/** In one process. */
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

interface Reach {
  readonly after: bigint
  readonly since: Date
  readonly complete: boolean
}

/** What webhooks would have been sent lately. */
export class Preview extends Context.Service<
  Preview,
  { readonly preview: (options: PreviewOptions) => Effect.Effect<Previewed, PreviewBusy | SqlError> }
>()("presage/webhooks/Preview") {
  static readonly layer = Layer.suspend(() => Layer.effect(Preview, make))
}

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const config = yield* Configuration
  const foresee = yield* foreseeing
  const foreseers = yield* forEachPoller((poller) => Effect.sync(() => foresee(poller)))

  /** So long ago, or as many of the newest entries as so many pollers together may look at. */
  const reachOf = Effect.fnUntraced(function* (now: number, span: number, asked: ReadonlyArray<Foreseeing>) {
    const kinds = [...new Set(asked.flatMap((each) => each.kinds))]
    const most = Math.ceil(config.get(webhooksPreview) / Math.max(1, asked.length))
    const start = yield* log.recordedBefore(now - span)
    const bound = yield* log.beforeNewest({ after: start, limit: most, kinds })
    const reach: Reach =
      bound === undefined
        ? { after: start, since: new Date(now - span), complete: span === longest }
        : { after: bound.seq, since: new Date(bound.recordedAt), complete: false }
    return { ...reach, isAll: bound !== undefined || span === longest }
  })

  const look = Effect.fnUntraced(function* (
    { eventTypes, filters }: PreviewOptions,
    asked: ReadonlyArray<Foreseeing>,
    now: number,
    { after, since, complete }: Reach,
  ) {
    const byType = new Map<WebhookEventType, number>(eventTypes.map((type) => [type, 0]))
    const watcher: Watcher = { ...nobody, filters }
    const newest = new Map<WebhookEventType, ReadonlyArray<Owed>>()
    let scanned = 0
    for (const { type, after: foreseenAfter } of asked) {
      const foreseen = yield* foreseenAfter(after, watcher, mostSamples)
      scanned += foreseen.scanned
      byType.set(type, (byType.get(type) ?? 0) + foreseen.count)
      newest.set(type, inTurn([newest.get(type) ?? [], foreseen.newest]))
    }
    const samples = [...newest].map(([type, owed]) =>
      owed.map(({ identity, data }) => envelopeOf(type, eventIdOf(watcher.id, type, identity), now, data)),
    )
    return {
      matched: [...byType.values()].reduce((sum, count) => sum + count, 0),
      by_type: Object.fromEntries(byType),
      scanned,
      since,
      complete,
      samples: inTurn(samples).slice(0, mostSamples),
    } satisfies Previewed
  })

  const preview = Effect.fnUntraced(function* (options: PreviewOptions) {
    const now = yield* Clock.currentTimeMillis
    const until = now + Duration.toMillis(config.get(webhooksPreviewBudget))
    const asked = foreseers.filter(({ type }) => options.eventTypes.includes(type))
    let seen: Previewed = {
      matched: 0,
      by_type: Object.fromEntries(options.eventTypes.map((type) => [type, 0])),
      scanned: 0,
      since: new Date(now),
      complete: false,
      samples: [],
    }
    for (const span of spans) {
      const looking = Effect.gen(function* () {
        const { isAll, ...reach } = yield* reachOf(now, Duration.toMillis(span), asked)
        return { isAll, seen: yield* look(options, asked, now, reach) }
      })
      const left = Math.max(0, until - (yield* Clock.currentTimeMillis))
      const looked = yield* Effect.timeoutOption(looking, Duration.millis(left))
      if (Option.isNone(looked)) return seen
      seen = looked.value.seen
      if (looked.value.isAll) return seen
    }
    return seen
  })

  let running = 0
  const asking = new Set<AccountId>()
  /** Nobody waits here: who would, has waited long enough elsewhere. */
  const takeTurn = (account: AccountId | undefined) =>
    Effect.suspend(() => {
      if (account !== undefined && asking.has(account)) return Effect.fail(new PreviewBusy({ whose: "account" }))
      if (running >= atOnce) return Effect.fail(new PreviewBusy({ whose: "server" }))
      running++
      if (account !== undefined) asking.add(account)
      return Effect.void
    })
  const endTurn = (account: AccountId | undefined) =>
    Effect.sync(() => {
      running--
      if (account !== undefined) asking.delete(account)
    })

  return Preview.of({
    preview: (options) =>
      Effect.acquireUseRelease(
        takeTurn(options.account),
        () => preview(options),
        () => endTurn(options.account),
      ),
  })
})
