import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { WebhookEventType } from "../model.ts"
import { eventIdOf } from "./eventId.ts"
import type { Owed } from "./model.ts"

export type Named = Pick<Owed, "watcher" | "identity">

/** Which of these events their webhooks have been told already: they come again when the chain went back further than it was believed. */
export type ToldBefore = (some: ReadonlyArray<Named>) => Effect.Effect<(one: Named) => boolean, SqlError>

export const nothingTold: ToldBefore = () => Effect.succeed(() => false)

export const toldBefore =
  ({ reads }: Postgres["Service"], type: WebhookEventType): ToldBefore =>
  (some) => {
    if (some.length === 0) return nothingTold(some)
    const ids = new Map(some.map((one) => [one, eventIdOf(one.watcher.id, type, one.identity)]))
    const webhooks = pgArray(
      "text",
      some.map(({ watcher }) => watcher.id),
    )
    return Effect.map(
      reads<{ event_id: string }>`
        select d.event_id from unnest(${webhooks}, ${pgArray("uuid", [...ids.values()])}) u(webhook, event_id)
        join webhook_delivery d using (webhook, event_id)`,
      (rows) => {
        const told = new Set(rows.map(({ event_id }) => event_id))
        return (one) => told.has(ids.get(one) ?? "")
      },
    )
  }
