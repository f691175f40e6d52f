import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { eventIdOf } from "../eventId.ts"
import { type Filters, type WebhookEventType, WebhookId } from "../model.ts"
import { type Envelope, envelopeOf } from "../polling/envelope.ts"
import type { PendingDelivery, Watcher } from "../polling/model.ts"
import { forEachPoller } from "../polling/pollers.ts"
import { type PreviewablePoller, previewPollers } from "../polling/previewPollers.ts"
import { webhooksPreview, webhooksPreviewBudget } from "../settings.ts"
import { PreviewBusy } from "./errors.ts"

export interface PreviewOptions {
  /** The caller, who may run one preview at a time. */
  readonly account?: AccountId | undefined
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  /** Validated and normalized. */
  readonly filters: Filters
}

/** Deliveries that a webhook would have had. */
export interface PreviewResult {
  readonly matched: number
  readonly by_type: Readonly<Record<string, number>>
  /** Log entries that were read. */
  readonly scanned: number
  readonly since: Date
  /** Whether it covers the last 24 hours. */
  readonly complete: boolean
  /** The newest deliveries, of each type in turn. */
  readonly samples: ReadonlyArray<Envelope>
}

/** Growing spans: pollers read forward, and the newest entries must be covered before the time limit. */
const spans = ["1 minute", "5 minutes", "20 minutes", "1 hour", "3 hours", "8 hours", "24 hours"] as const
const maxSpan = Duration.toMillis("24 hours")
const maxSamples = 5
/** Concurrent previews of one process. */
const maxConcurrent = 2

/** A hypothetical webhook; sample event ids derive from its id. */
const hypothetical: Omit<Watcher, "filters"> = {
  id: WebhookId.make("wh_000000000000"),
  account: "" as AccountId,
  since: -1n,
  active: true,
}

/** The first item of each list, then the second of each, and so on. */
const inTurn = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> =>
  Array.from({ length: maxSamples }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()

interface LogRange {
  readonly after: bigint
  readonly since: Date
  readonly complete: boolean
}

/** Previews what a webhook would have been sent lately. */
export class Preview extends Context.Service<
  Preview,
  { readonly preview: (options: PreviewOptions) => Effect.Effect<PreviewResult, PreviewBusy | SqlError> }
>()("presage/webhooks/Preview") {
  static readonly layer = Layer.suspend(() => Layer.effect(Preview, make))
}

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const config = yield* Configuration
  const previewable = yield* previewPollers
  const pollers = yield* forEachPoller((poller) => Effect.sync(() => previewable(poller)))

  /** The log since `span` ago, or as many of the newest entries as the pollers together may read. */
  const rangeOf = Effect.fnUntraced(function* (now: number, span: number, selected: ReadonlyArray<PreviewablePoller>) {
    const kinds = [...new Set(selected.flatMap((each) => each.kinds))]
    const most = Math.ceil(config.get(webhooksPreview) / Math.max(1, selected.length))
    const start = yield* log.recordedBefore(now - span)
    const bound = yield* log.beforeNewest({ after: start, limit: most, kinds })
    const range: LogRange =
      bound === undefined
        ? { after: start, since: new Date(now - span), complete: span === maxSpan }
        : { after: bound.seq, since: new Date(bound.recordedAt), complete: false }
    return { ...range, isAll: bound !== undefined || span === maxSpan }
  })

  const scan = Effect.fnUntraced(function* (
    { eventTypes, filters }: PreviewOptions,
    selected: ReadonlyArray<PreviewablePoller>,
    now: number,
    { after, since, complete }: LogRange,
  ) {
    const byType = new Map<WebhookEventType, number>(eventTypes.map((type) => [type, 0]))
    const watcher: Watcher = { ...hypothetical, filters }
    const newest = new Map<WebhookEventType, ReadonlyArray<PendingDelivery>>()
    let scanned = 0
    for (const { type, after: previewAfter } of selected) {
      const previewed = yield* previewAfter(after, watcher, maxSamples)
      scanned += previewed.scanned
      byType.set(type, (byType.get(type) ?? 0) + previewed.count)
      newest.set(type, inTurn([newest.get(type) ?? [], previewed.newest]))
    }
    const samples = [...newest].map(([type, deliveries]) =>
      deliveries.map(({ identity, data }) => envelopeOf(type, eventIdOf(watcher.id, type, identity), now, data)),
    )
    return {
      matched: [...byType.values()].reduce((sum, count) => sum + count, 0),
      by_type: Object.fromEntries(byType),
      scanned,
      since,
      complete,
      samples: inTurn(samples).slice(0, maxSamples),
    } satisfies PreviewResult
  })

  const preview = Effect.fn("Preview.preview")(function* (options: PreviewOptions) {
    const now = yield* Clock.currentTimeMillis
    const until = now + Duration.toMillis(config.get(webhooksPreviewBudget))
    const selected = pollers.filter(({ type }) => options.eventTypes.includes(type))
    let seen: PreviewResult = {
      matched: 0,
      by_type: Object.fromEntries(options.eventTypes.map((type) => [type, 0])),
      scanned: 0,
      since: new Date(now),
      complete: false,
      samples: [],
    }
    for (const span of spans) {
      const scanning = Effect.gen(function* () {
        const { isAll, ...range } = yield* rangeOf(now, Duration.toMillis(span), selected)
        return { isAll, seen: yield* scan(options, selected, now, range) }
      })
      const left = Math.max(0, until - (yield* Clock.currentTimeMillis))
      const scanned = yield* Effect.timeoutOption(scanning, Duration.millis(left))
      if (Option.isNone(scanned)) return seen
      seen = scanned.value.seen
      if (scanned.value.isAll) return seen
    }
    return seen
  })

  let running = 0
  const busyAccounts = new Set<AccountId>()
  /** Fails instead of waiting: a caller that waited would time out anyway. */
  const start = (account: AccountId | undefined) =>
    Effect.suspend(() => {
      if (account !== undefined && busyAccounts.has(account)) return Effect.fail(new PreviewBusy({ whose: "account" }))
      if (running >= maxConcurrent) return Effect.fail(new PreviewBusy({ whose: "server" }))
      running++
      if (account !== undefined) busyAccounts.add(account)
      return Effect.void
    })
  const finish = (account: AccountId | undefined) =>
    Effect.sync(() => {
      running--
      if (account !== undefined) busyAccounts.delete(account)
    })

  return Preview.of({
    preview: (options) =>
      Effect.acquireUseRelease(
        start(options.account),
        () => preview(options),
        () => finish(options.account),
      ),
  })
})
