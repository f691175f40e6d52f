import { Effect, Result, Schema } from "effect"
import { positionStatuses } from "#src/ledger/positions/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { ConfirmationLevel, Filters, WebhookEventType } from "../model.ts"
import { WatcherIndex } from "./WatcherIndex.ts"
import * as WatcherStore from "./WatcherStore.ts"

const list = Schema.optionalKey(Schema.Array(Schema.String))
const number = Schema.optionalKey(Schema.Finite)
const status = Schema.optionalKey(Schema.Literals(positionStatuses))

/** Drops filters that this version does not know: the version that wrote them has validated them. */
const StoredFilters = Schema.Struct({
  wallet_addresses: list,
  token_ids: list,
  condition_ids: list,
  event_slugs: list,
  tags: list,
  builder_codes: list,
  receiver_addresses: list,
  min_amount_usd: number,
  min_fee_usd: number,
  min_delta_pct: number,
  min_pnl_change_usd: number,
  min_total_usd: number,
  side: Schema.optionalKey(Schema.Literals(["BUY", "SELL"])),
  status_from: status,
  status_to: status,
})
const decodeFilters: (stored: unknown) => Result.Result<Filters, Schema.SchemaError> =
  Schema.decodeUnknownResult(StoredFilters)

/** The webhooks of one event type and level at a revision. */
export interface CachedWatchers {
  readonly revision: bigint
  readonly watchers: WatcherIndex
}

/**
 * Caches the webhooks of one event type and level, and refreshes them with one query for the changes. The index is updated in place,
 * so refreshes must not overlap with its use.
 */
export const watcherCache = Effect.fnUntraced(function* (type: WebhookEventType, level: ConfirmationLevel) {
  const { reads } = yield* Postgres
  const watchers = new WatcherIndex(type)
  let revision = -1n

  return Effect.gen(function* () {
    const rows = yield* WatcherStore.changedAfter(reads, type, level, revision)
    for (const { id, account, filters, since, active, subscribed } of rows) {
      if (id === null) continue
      watchers.delete(id)
      if (!subscribed) continue
      const decoded = decodeFilters(filters)
      if (Result.isSuccess(decoded)) watchers.set({ id, account, filters: decoded.success, since, active })
      else yield* Effect.logWarning(`webhook ${id} has invalid filters; skipped`)
    }
    for (const id of rows[0]?.deleted ?? []) watchers.delete(id)
    revision = rows[0]?.revision ?? revision
    return { revision, watchers } satisfies CachedWatchers
  })
})
