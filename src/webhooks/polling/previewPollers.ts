import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { pollers } from "../contracts.ts"
import type { WebhookEventType } from "../model.ts"
import { webhooksBatch } from "../settings.ts"
import { confirmedLog } from "./confirmed.ts"
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
  readonly after: (seq: bigint, watcher: Watcher, samples: number) => Effect.Effect<PollerPreview, SqlError>
}

/** Entries per batch, so that other work of the process gets its turn. */
const maxBatch = 500

/** Runs the steps of pollers for one hypothetical webhook over a part of the log, without writing anything. */
export const previewPollers = Effect.gen(function* () {
  const config = yield* Configuration
  const { reader } = yield* confirmedLog

  return <T>(poller: Poller<T>): PreviewablePoller => {
    const read = reader(poller.renderers)
    const { type } = pollers[poller.name]
    return {
      type,
      kinds: [...poller.renderers.keys()],
      after: Effect.fnUntraced(function* (seq, watcher, samples) {
        const watchers = new WatcherIndex(type)
        watchers.set(watcher)
        const step = poller.preview === undefined ? poller.step : yield* poller.preview
        const seen = new Set<string>()
        let newest: ReadonlyArray<PendingDelivery> = []
        const limit = Math.min(maxBatch, config.get(webhooksBatch))
        let [after, before, scanned] = [seq, 0, 0]
        for (;;) {
          const { entries, horizon, upTo, hasMore } = yield* read({ after, limit, before })
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
