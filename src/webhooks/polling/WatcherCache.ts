import { Effect, Result, Schema } from "effect"
import { positionStatuses } from "#src/ledger/positions/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Filters, WebhookEventType } from "../model.ts"
import { WatcherIndex } from "./WatcherIndex.ts"
import { watcherStore } from "./WatcherStore.ts"

const list = Schema.optionalKey(Schema.Array(Schema.String))
const number = Schema.optionalKey(Schema.Finite)
const status = Schema.optionalKey(Schema.Literals(positionStatuses))

/** Filters that this version does not know are left out: they were checked by the one that wrote them. */
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

/** The webhooks of one type as they are at a revision. */
export interface KnownWatchers {
  readonly revision: bigint
  readonly watchers: WatcherIndex
}

/**
 * Keeps the webhooks of one type in memory, with one query whenever it is asked, which brings what was changed since.
 * Not for two at a time: what it gave before is changed with it.
 */
export const watcherCache = Effect.fnUntraced(function* (type: WebhookEventType) {
  const changedAfter = watcherStore(yield* Postgres)
  const watchers = new WatcherIndex()
  let known = -1n

  return Effect.gen(function* () {
    const rows = yield* changedAfter(type, known)
    for (const { id, account, filters, since, active, asks } of rows) {
      if (id === null) continue
      watchers.delete(id)
      if (!asks) continue
      const decoded = decodeFilters(filters)
      if (Result.isSuccess(decoded)) watchers.set({ id, account, filters: decoded.success, since, active })
      else yield* Effect.logWarning(`filters of webhook ${id} cannot be read: it is left out`)
    }
    for (const id of rows[0]?.deleted ?? []) watchers.delete(id)
    known = rows[0]?.revision ?? known
    return { revision: known, watchers } satisfies KnownWatchers
  })
})
