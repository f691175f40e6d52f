import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Transaction } from "#src/platform/sql/Postgres.ts"
import { unnest } from "#src/platform/sql/pgArray.ts"
import { eventIdOf } from "../eventId.ts"
import type { WebhookEventType } from "../model.ts"
import type { Batch, PendingDelivery, Poller } from "./model.ts"

/** State by key; undefined deletes it. */
export type Changes<Row> = ReadonlyMap<string, Row | undefined>

export interface Evaluation<Row> {
  readonly deliveries: ReadonlyArray<PendingDelivery>
  readonly changes: Changes<Row>
}

/** Loads the state that a query asks for; may return more than that. */
export type LoadState<Query, Row> = (query: Query) => Effect.Effect<ReadonlyMap<string, Row>, SqlError>

/** Steps with state from batch to batch: in rows that are written with the deliveries, or in memory for previews. */
export const stateful = <T, Query, Row>(options: {
  readonly evaluate: (
    batch: Batch<T>,
    load: LoadState<Query, Row>,
    isPreview: boolean,
  ) => Effect.Effect<Evaluation<Row>, SqlError>
  readonly load: (batch: Batch<T>) => LoadState<Query, Row>
  readonly save: (changes: Changes<Row>, batch: Batch<T>) => Effect.Effect<void, SqlError, Transaction>
}): Required<Pick<Poller<T>, "step" | "preview">> => {
  const { evaluate, load, save } = options
  return {
    step: (batch) =>
      Effect.map(evaluate(batch, load(batch), false), ({ deliveries, changes }) => ({
        deliveries,
        save: save(changes, batch),
      })),
    preview: Effect.sync(() => {
      const memory = new Map<string, Row>()
      return (batch) =>
        Effect.map(
          evaluate(batch, () => Effect.succeed(memory), true),
          ({ deliveries, changes }) => {
            for (const [key, row] of changes) {
              if (row === undefined) memory.delete(key)
              else memory.set(key, row)
            }
            return { deliveries, save: Effect.void }
          },
        )
    }),
  }
}

type DeliveryKey = Pick<PendingDelivery, "watcher" | "identity">

/** Which of these events have been delivered before: they recur after a reorganisation deeper than the confirmations. */
export type AlreadySent = (some: ReadonlyArray<DeliveryKey>) => Effect.Effect<(one: DeliveryKey) => boolean, SqlError>

export const noneSent: AlreadySent = () => Effect.succeed(() => false)

export const alreadySent =
  (sql: SqlClient, type: WebhookEventType): AlreadySent =>
  (some) => {
    if (some.length === 0) return noneSent(some)
    const ids = new Map(some.map((one) => [one, eventIdOf(one.watcher.id, type, one.identity)]))
    const events = unnest(sql, "u", some, {
      webhook: ["text", ({ watcher }) => watcher.id],
      event_id: ["uuid", (one) => ids.get(one)],
    })
    return Effect.map(
      sql<{ event_id: string }>`
        select d.event_id from ${events} join webhook_delivery d using (webhook, event_id)`,
      (rows) => {
        const sent = new Set(rows.map(({ event_id }) => event_id))
        return (one) => sent.has(ids.get(one) ?? "")
      },
    )
  }

/**
 * Empties tables; the others may have rows only if the first one has. Deleting millions of rows exceeds the statement
 * timeout, and truncating blocks other sessions briefly, so it is done only if there are rows.
 */
export const truncateIfAny = Effect.fnUntraced(function* (sql: SqlClient, tables: readonly [string, ...Array<string>]) {
  const rows = yield* sql`select 1 from ${sql(tables[0])} limit 1`
  if (rows.length > 0) yield* sql`truncate ${sql.literal(tables.join(", "))}`
})
