import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { unsentReasons } from "../delivery/failure.ts"
import { eventIdOf } from "../eventId.ts"
import type { WebhookId } from "../model.ts"
import { takeQuota } from "../subscriptions/QuotaStore.ts"
import { type EnvelopeOptions, envelopeTexts, publicEventId } from "./envelope.ts"
import type { PendingDelivery } from "./model.ts"
import * as OutboxStore from "./OutboxStore.ts"

/** Written deliveries; those that existed already are not counted. */
export interface Written {
  readonly pending: ReadonlyArray<bigint>
  readonly held: number
  readonly overCap: number
}

/** The newest deliveries of each account beyond its daily quota. */
const beyondQuota = (
  written: ReadonlyArray<OutboxStore.WrittenDelivery>,
  accountOf: (webhook: WebhookId) => AccountId | undefined,
  granted: ReadonlyMap<AccountId, number>,
): ReadonlyArray<OutboxStore.WrittenDelivery> => {
  const left = new Map(granted)
  return written.filter(({ webhook }) => {
    const account = accountOf(webhook)
    if (account === undefined) return false
    const quota = left.get(account) ?? 0
    left.set(account, quota - 1)
    return quota <= 0
  })
}

/** Writes deliveries, in the transaction that moves the cursor. Writing one twice has no effect. */
export const writeDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient,
  options: EnvelopeOptions,
  deliveries: ReadonlyArray<PendingDelivery>,
) {
  const { type, now } = options
  const at = new Date(now)
  const textOf = envelopeTexts(options)
  const accounts = new Map(deliveries.map(({ watcher }) => [watcher.id, watcher.account]))
  const rows = deliveries.map(({ watcher, identity, data }): OutboxStore.NewDelivery => {
    const eventId = eventIdOf(watcher.id, type, identity)
    return {
      webhook: watcher.id,
      event_id: eventId,
      event_type: type,
      body: Buffer.from(textOf(eventId, data), "utf8"),
      status: watcher.active ? "pending" : "held",
      next_at: watcher.active ? at : null,
      created_at: at,
    }
  })
  const written = (yield* OutboxStore.insertDeliveries(sql, rows)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const due = written.filter(({ status }) => status === "pending")
  const held = written.filter(({ status }) => status === "held")

  const wanted = new Map<AccountId, number>()
  for (const { webhook } of due) {
    const account = accounts.get(webhook)
    if (account !== undefined) wanted.set(account, (wanted.get(account) ?? 0) + 1)
  }
  const granted = yield* takeQuota(sql, wanted, now)
  const overCap = new Set(beyondQuota(due, (webhook) => accounts.get(webhook), granted))
  if (overCap.size > 0)
    yield* OutboxStore.markOverCap(
      sql,
      [...overCap].map(({ id }) => id),
    )

  const unsentRows = (some: Iterable<OutboxStore.WrittenDelivery>, why: keyof typeof unsentReasons) =>
    Array.from(some, ({ id, webhook, event_id }) => ({
      webhook,
      delivery: id,
      event_id: publicEventId(event_id),
      event_type: type,
      attempt: 0,
      success: false,
      latency_ms: 0,
      error_class: why,
      error: unsentReasons[why],
      at,
    }))
  yield* OutboxStore.insertUnsent(sql, [...unsentRows(held, "held"), ...unsentRows(overCap, "over_cap")])
  return {
    pending: due.filter((one) => !overCap.has(one)).map(({ id }) => id),
    held: held.length,
    overCap: overCap.size,
  } satisfies Written
})
