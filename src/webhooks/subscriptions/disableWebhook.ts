import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { WebhookId } from "../model.ts"
import { raiseRevision } from "./revision.ts"

/**
 * Stops a webhook until its owner resumes it; tells whether it was active. What it is owed from now on is held. With a
 * url only if it still has that one: what an endpoint did says nothing about its successor.
 */
export const disableWebhook = (
  { sql, tx }: Postgres["Service"],
  id: WebhookId,
  reason: string,
  now: number,
  url: string | null = null,
) =>
  tx(
    Effect.gen(function* () {
      const revision = yield* raiseRevision(sql)
      const at = new Date(now)
      const changed = yield* sql`
        update webhook set active = false, disabled_at = ${at}::timestamptz, disabled_reason = ${reason},
          updated_at = ${at}::timestamptz, revision = ${revision}
        where id = ${id} and active and url = coalesce(${url}, url) returning id`
      return changed.length > 0
    }),
  )
