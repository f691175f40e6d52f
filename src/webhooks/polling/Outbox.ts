import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { whyUnsent } from "../delivery/whyUnsent.ts"
import type { WebhookEventType, WebhookId } from "../model.ts"
import { takeQuota } from "../subscriptions/QuotaStore.ts"
import { envelopeTexts, publicEventId } from "./envelope.ts"
import { eventIdOf } from "./eventId.ts"
import type { Owed } from "./model.ts"
import { insertDeliveries, insertUnsent, markOverCap, type NewDelivery, type WrittenDelivery } from "./OutboxStore.ts"

/** What was written; deliveries that were there already are in none of these. */
export interface Written {
  readonly pending: ReadonlyArray<bigint>
  readonly held: number
  readonly overCap: number
}

/** Of each account those that its day has no room for, the newest. */
const beyond = (
  written: ReadonlyArray<WrittenDelivery>,
  accountOf: (webhook: WebhookId) => AccountId | undefined,
  granted: ReadonlyMap<AccountId, number>,
): ReadonlyArray<WrittenDelivery> => {
  const left = new Map(granted)
  return written.filter(({ webhook }) => {
    const account = accountOf(webhook)
    if (account === undefined) return false
    const room = left.get(account) ?? 0
    left.set(account, room - 1)
    return room <= 0
  })
}

/** Writes what is owed, in the transaction that moves the cursor: each once, however often it is written. */
export const writeOwed = Effect.fnUntraced(function* (
  sql: SqlClient,
  type: WebhookEventType,
  owed: ReadonlyArray<Owed>,
  now: number,
) {
  const at = new Date(now)
  const textOf = envelopeTexts(type, now)
  const accounts = new Map(owed.map(({ watcher }) => [watcher.id, watcher.account]))
  const rows = owed.map(({ watcher, identity, data }): NewDelivery => {
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
  const written = (yield* insertDeliveries(sql, rows)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const due = written.filter(({ status }) => status === "pending")
  const held = written.filter(({ status }) => status === "held")

  const wanted = new Map<AccountId, number>()
  for (const { webhook } of due) {
    const account = accounts.get(webhook)
    if (account !== undefined) wanted.set(account, (wanted.get(account) ?? 0) + 1)
  }
  const granted = yield* takeQuota(sql, wanted, now)
  const overCap = new Set(beyond(due, (webhook) => accounts.get(webhook), granted))
  if (overCap.size > 0)
    yield* markOverCap(
      sql,
      [...overCap].map(({ id }) => id),
    )

  const unsent = (some: Iterable<WrittenDelivery>, why: keyof typeof whyUnsent) =>
    Array.from(some, ({ id, webhook, event_id }) => ({
      webhook,
      delivery: id,
      event_id: publicEventId(event_id),
      event_type: type,
      attempt: 0,
      success: false,
      latency_ms: 0,
      error_class: why,
      error: whyUnsent[why],
      at,
    }))
  yield* insertUnsent(sql, [...unsent(held, "held"), ...unsent(overCap, "over_cap")])
  return {
    pending: due.filter((one) => !overCap.has(one)).map(({ id }) => id),
    held: held.length,
    overCap: overCap.size,
  } satisfies Written
})
