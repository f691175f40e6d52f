import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { pollers } from "../contracts.ts"
import type { WebhookEventType } from "../model.ts"
import { webhooksBatch } from "../settings.ts"
import { believed } from "./confirmed.ts"
import type { Owed, Poller, Watcher } from "./model.ts"
import { WatcherIndex } from "./WatcherIndex.ts"

/** What somebody would have been told. */
export interface Foreseen {
  readonly count: number
  /** Entries that were looked at. */
  readonly scanned: number
  /** The newest first. */
  readonly newest: ReadonlyArray<Owed>
}

/** A poller that can be asked what it would have told. */
export interface Foreseeing {
  readonly type: WebhookEventType
  /** Of the entries that it reads. */
  readonly kinds: ReadonlyArray<string>
  readonly after: (seq: bigint, watcher: Watcher, samples: number) => Effect.Effect<Foreseen, SqlError>
}

/** Entries at a time, so that others in this process have their turn. */
const mostAtOnce = 500

/** Runs the steps of pollers for one webhook that is not there, over a part of the log, and writes nothing. */
export const foreseeing = Effect.gen(function* () {
  const config = yield* Configuration
  const { reader } = yield* believed

  return <T>(poller: Poller<T>): Foreseeing => {
    const read = reader(poller.tellers)
    return {
      type: pollers[poller.name].type,
      kinds: [...poller.tellers.keys()],
      after: Effect.fnUntraced(function* (seq, watcher, samples) {
        const watchers = new WatcherIndex()
        watchers.set(watcher)
        const step = poller.preview === undefined ? poller.step : yield* poller.preview
        const told = new Set<string>()
        let newest: ReadonlyArray<Owed> = []
        const limit = Math.min(mostAtOnce, config.get(webhooksBatch))
        let [after, before, scanned] = [seq, 0, 0]
        for (;;) {
          const { entries, horizon, upTo, hasMore } = yield* read({ after, limit, before })
          scanned += entries.length
          const { owed } = yield* step({ entries, horizon, watchers })
          const fresh = owed.filter(({ identity }) => !told.has(identity))
          for (const { identity } of fresh) told.add(identity)
          newest = [...fresh.slice(-samples).toReversed(), ...newest].slice(0, samples)
          if (!hasMore) return { count: told.size, scanned, newest }
          after = upTo
          before = horizon.block
          yield* Effect.yieldNow
        }
      }),
    }
  }
})
