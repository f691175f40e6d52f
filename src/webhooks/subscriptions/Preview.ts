import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventIdOf } from "../eventId.ts"
import { eventTypeInfos } from "../eventTypes.ts"
import { type Filters, type WebhookEventType, WebhookId } from "../model.ts"
import { confirmedLog } from "../polling/confirmed.ts"
import { type Envelope, envelopeOf, publicEventId } from "../polling/envelope.ts"
import { blocksAbout, blocksAfter } from "../polling/MatchingFactStore.ts"
import type { PendingDelivery, Watcher } from "../polling/model.ts"
import { forEachPoller } from "../polling/pollers.ts"
import { type PollerPreview, type PreviewablePoller, previewPollers } from "../polling/previewPollers.ts"
import { webhooksConfirmations, webhooksPreview, webhooksPreviewBudget } from "../settings.ts"
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
  /** Log entries that were read, and facts that were counted. */
  readonly scanned: number
  readonly since: Date
  /** Whether it covers the last 24 hours. */
  readonly complete: boolean
  /** The newest deliveries, of each type in turn. */
  readonly samples: ReadonlyArray<Envelope>
}

const toMillis = (span: Duration.Input) => Duration.toMillis(span)
const maxSpan = toMillis("24 hours")
/** Growing spans: pollers read forward, and the newest entries must be covered before the time limit. */
const readSpans = (["1 minute", "5 minutes", "20 minutes", "1 hour", "3 hours", "8 hours", "24 hours"] as const).map(
  toMillis,
)
/** Counting is quick. */
const countSpans = (["1 hour", "24 hours"] as const).map(toMillis)
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

const nothing: PollerPreview = { count: 0, scanned: 0, newest: [] }

const hasSample = ({ found }: Seen) => found.some(({ newest }) => newest.length > 0)

/** Entries of the catalogue refer to markets, not to blocks. */
const isOffChain = (kind: string) => kind.startsWith("market")

/** The first item of each list, then the second of each, and so on. */
const inTurn = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> =>
  Array.from({ length: maxSamples }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()

/** What the pollers of one group would have found. */
interface Seen {
  readonly since: Date
  readonly complete: boolean
  readonly found: ReadonlyArray<PollerPreview & Pick<PreviewablePoller, "type">>
}

interface Scan {
  readonly now: number
  readonly span: number
  readonly watcher: Watcher
  readonly selected: ReadonlyArray<PreviewablePoller>
}

/** Previews what a webhook would have been sent lately. */
export class Preview extends Context.Service<
  Preview,
  {
    readonly preview: (options: PreviewOptions) => Effect.Effect<PreviewResult, PreviewBusy | SqlError>
    /** The newest event of a type that a webhook would have been sent; without its filters if none matched. */
    readonly example: (
      type: WebhookEventType,
      filters: Filters,
    ) => Effect.Effect<PendingDelivery["data"] | undefined, SqlError>
  }
>()("presage/webhooks/Preview") {
  static readonly layer = Layer.suspend(() => Layer.effect(Preview, make))
}

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const config = yield* Configuration
  const { reads } = yield* Postgres
  const { horizon } = yield* confirmedLog
  const previewable = yield* previewPollers
  const pollers = yield* forEachPoller((poller) => Effect.sync(() => previewable(poller)))

  /** Counts what pollers would have found since `span` ago. */
  const count = Effect.fnUntraced(function* ({ now, span, watcher, selected }: Scan) {
    const range = yield* blocksAfter(reads, yield* log.recordedBefore(now - span), (yield* horizon).block)
    const found = yield* Effect.forEach(selected, ({ type, count: countFacts }) =>
      range === undefined || countFacts === undefined
        ? Effect.succeed({ type, ...nothing })
        : Effect.map(countFacts(range, watcher, maxSamples), (counted) => ({ type, ...counted })),
    )
    const seen: Seen = { since: new Date(now - span), complete: span === maxSpan, found }
    return { seen, isAll: false }
  })

  /** Reads the log since `span` ago, or as many of the newest entries as the pollers together may read. */
  const read = Effect.fnUntraced(function* ({ now, span, watcher, selected }: Scan) {
    const kinds = [...new Set(selected.flatMap((each) => each.kinds))]
    const limit = Math.ceil(config.get(webhooksPreview) / Math.max(1, selected.length))
    const start = yield* log.recordedBefore(now - span)
    const range = yield* blocksAfter(reads, start, (yield* horizon).block)
    const blocks = range && !kinds.some(isOffChain) ? yield* blocksAbout(reads, watcher.filters, range) : undefined
    const refs = blocks?.map(BigInt)
    const bound = yield* log.beforeNewest({ after: start, limit, kinds, refs })
    const found = yield* Effect.forEach(selected, ({ type, after }) =>
      Effect.map(after(bound?.seq ?? start, watcher, maxSamples, refs), (previewed) => ({ type, ...previewed })),
    )
    const seen: Seen =
      bound === undefined
        ? { since: new Date(now - span), complete: span === maxSpan, found }
        : { since: new Date(bound.recordedAt), complete: false, found }
    return { seen, isAll: bound !== undefined }
  })

  /** Repeats a scan with growing spans until all is seen or the time is over. */
  const upTo = Effect.fnUntraced(function* (
    until: number,
    spans: ReadonlyArray<number>,
    scan: typeof read | typeof count,
    given: Omit<Scan, "span">,
    isEnough: (seen: Seen) => boolean,
  ) {
    let seen: Seen = { since: new Date(given.now), complete: false, found: [] }
    if (given.selected.length === 0) return { ...seen, since: new Date(given.now - maxSpan), complete: true }
    for (const span of spans) {
      const left = Math.max(0, until - (yield* Clock.currentTimeMillis))
      const scanned = yield* Effect.timeoutOption(scan({ ...given, span }), Duration.millis(left))
      if (Option.isNone(scanned)) return seen
      seen = scanned.value.seen
      if (scanned.value.isAll || isEnough(seen)) return seen
    }
    return seen
  })

  const scanAll = Effect.fnUntraced(function* (
    { eventTypes, filters }: Omit<PreviewOptions, "account">,
    isEnough: (seen: Seen) => boolean,
  ) {
    const now = yield* Clock.currentTimeMillis
    const until = now + Duration.toMillis(config.get(webhooksPreviewBudget))
    const selected = pollers.filter(({ type }) => eventTypes.includes(type))
    const given = { now, watcher: { ...hypothetical, filters } }
    const isCounted = (poller: PreviewablePoller) => poller.count !== undefined
    const seen = [
      yield* upTo(until, countSpans, count, { ...given, selected: selected.filter(isCounted) }, isEnough),
      yield* upTo(until, readSpans, read, { ...given, selected: selected.filter((one) => !isCounted(one)) }, isEnough),
    ]
    const found = seen.flatMap((each) => each.found)
    const newest = new Map<WebhookEventType, ReadonlyArray<PendingDelivery>>()
    for (const one of found) newest.set(one.type, inTurn([newest.get(one.type) ?? [], one.newest]))
    return { now, seen, found, newest }
  })

  const preview = Effect.fn("Preview.preview")(function* (options: PreviewOptions) {
    const { now, seen, found, newest } = yield* scanAll(options, () => false)
    const confirmations = config.get(webhooksConfirmations)
    const byType = new Map<WebhookEventType, number>(options.eventTypes.map((type) => [type, 0]))
    for (const { type, count: matched } of found) byType.set(type, (byType.get(type) ?? 0) + matched)
    const samples = [...newest].map(([type, deliveries]) =>
      deliveries.map(({ identity, data }) =>
        envelopeOf({ type, now, confirmations }, publicEventId(eventIdOf(hypothetical.id, type, identity)), data),
      ),
    )
    return {
      matched: [...byType.values()].reduce((sum, each) => sum + each, 0),
      by_type: Object.fromEntries(byType),
      scanned: found.reduce((sum, { scanned }) => sum + scanned, 0),
      since: new Date(Math.max(...seen.map(({ since }) => since.getTime()))),
      complete: seen.every(({ complete }) => complete),
      samples: inTurn(samples).slice(0, maxSamples),
    } satisfies PreviewResult
  })

  const example = Effect.fn("Preview.example")(function* (type: WebhookEventType, filters: Filters) {
    const needed = eventTypeInfos[type].required
    const rest: Filters = Object.fromEntries(
      Object.entries(filters).filter(([name]) => needed.some((one) => one === name)),
    )
    for (const tried of [filters, rest]) {
      const { newest } = yield* scanAll({ eventTypes: [type], filters: tried }, hasSample)
      const [first] = newest.get(type) ?? []
      if (first !== undefined) return first.data
    }
    return undefined
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
    example,
    preview: (options) =>
      Effect.acquireUseRelease(
        start(options.account),
        () => preview(options),
        () => finish(options.account),
      ),
  })
})
