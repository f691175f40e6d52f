import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { renderEvents } from "#src/feed/renderEvents.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pollers } from "../contracts.ts"
import type { WebhookEventType } from "../model.ts"
import { webhooksBatch } from "../settings.ts"
import { confirmedLog } from "./confirmed.ts"
import type { BlockRange } from "./MatchingFactStore.ts"
import * as MatchingFactStore from "./MatchingFactStore.ts"
import type { PendingDelivery, Poller, Watcher } from "./model.ts"
import { WatcherIndex } from "./WatcherIndex.ts"

/** Deliveries that a webhook would have had. */
export interface PollerPreview {
  readonly count: number
  /** Log entries that were read. */
  readonly scanned: number
  /** Newest first. */
  readonly newest: ReadonlyArray<PendingDelivery>
}

export interface PreviewablePoller {
  readonly type: WebhookEventType
  /** Kinds of log entries that it reads. */
  readonly kinds: ReadonlyArray<string>
  /** Reads the log; with `blocks`, only their entries. */
  readonly after: (
    seq: bigint,
    watcher: Watcher,
    samples: number,
    blocks?: ReadonlyArray<bigint> | undefined,
  ) => Effect.Effect<PollerPreview, SqlError>
  /** Counts facts instead, which takes seconds for days of them; absent if its events need more than one fact. */
  readonly count?: (range: BlockRange, watcher: Watcher, samples: number) => Effect.Effect<PollerPreview, SqlError>
}

/** Entries per batch, so that other work of the process gets its turn. */
const maxBatch = 500

const isStateful = <T>({ idle, preview }: Poller<T>) => idle !== undefined || preview !== undefined

/** Runs the steps of pollers for one hypothetical webhook over a part of the log, without writing anything. */
export const previewPollers = Effect.gen(function* () {
  const config = yield* Configuration
  const { reader } = yield* confirmedLog

  const { reads } = yield* Postgres
  const log = yield* EventLog
  const renderWith = yield* renderEvents

  const watchersOf = (type: WebhookEventType, watcher: Watcher) => {
    const watchers = new WatcherIndex(type)
    watchers.set(watcher)
    return watchers
  }

  /** Facts as events of the log. None is retracted, because the ledger has them. */
  const eventsOf = (places: ReadonlyArray<MatchingFactStore.FactPlace>, seq: bigint) =>
    places.map(
      ({ kind, block, log_index }): LoggedEvent => ({
        seq,
        kind,
        ref: BigInt(block),
        sub: log_index,
        recordedAt: 0,
        data: null,
      }),
    )

  const countWith = <T>(poller: Poller<T>, kinds: ReadonlyArray<MatchingFactStore.CountedKind>) => {
    const { type } = pollers[poller.name]
    const render = renderWith(poller.renderers)
    return Effect.fnUntraced(function* (range: BlockRange, watcher: Watcher, samples: number) {
      const { filters } = watcher
      const counts = yield* Effect.forEach(kinds, (kind) => MatchingFactStore.count(reads, kind, filters, range))
      const count = counts.reduce((sum, each) => sum + each, 0)
      const places = yield* Effect.forEach(kinds, (kind) =>
        MatchingFactStore.newest(reads, kind, filters, range, samples),
      )
      const newest = places.flat().toSorted((a, b) => a.block - b.block || a.log_index - b.log_index)
      const entries = yield* render(eventsOf(newest.slice(-samples), yield* log.head))
      const horizon = { block: range.last, at: range.since.getTime() }
      const { deliveries } = yield* poller.step({ entries, horizon, watchers: watchersOf(type, watcher) })
      return { count, scanned: count, newest: deliveries.toReversed() } satisfies PollerPreview
    })
  }

  return <T>(poller: Poller<T>): PreviewablePoller => {
    const read = reader(poller.renderers)
    const { type } = pollers[poller.name]
    const kinds = [...poller.renderers.keys()]
    const counted = MatchingFactStore.countedKinds.filter((kind) => kinds.includes(kind))
    return {
      type,
      kinds,
      ...(counted.length === kinds.length && !isStateful(poller) && { count: countWith(poller, counted) }),
      after: Effect.fnUntraced(function* (seq, watcher, samples, refs) {
        const watchers = watchersOf(type, watcher)
        const step = poller.preview === undefined ? poller.step : yield* poller.preview
        const seen = new Set<string>()
        let newest: ReadonlyArray<PendingDelivery> = []
        const limit = Math.min(maxBatch, config.get(webhooksBatch))
        let [after, before, scanned] = [seq, 0, 0]
        for (;;) {
          const { entries, horizon, upTo, hasMore } = yield* read({ after, limit, before, refs })
          scanned += entries.length
          const { deliveries } = yield* step({ entries, horizon, watchers })
          const fresh = deliveries.filter(({ identity }) => !seen.has(identity))
          for (const { identity } of fresh) seen.add(identity)
          newest = [...fresh.slice(-samples).toReversed(), ...newest].slice(0, samples)
          if (!hasMore) return { count: seen.size, scanned, newest }
          after = upTo
          before = horizon.block
          yield* Effect.yieldNow
        }
      }),
    }
  }
})
