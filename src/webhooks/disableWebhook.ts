import { Effect } from "effect"
import type { Postgres } from "#src/platform/Postgres.ts"
import type { WebhookId } from "./model.ts"
import { raiseRevision } from "./revision.ts"

/** Stops a webhook until its owner resumes it; tells whether it was active. What it is owed from now on is held. */
export const disableWebhook = ({ sql, tx }: Postgres["Service"], id: WebhookId, reason: string, now: number) =>
  tx(
    Effect.gen(function* () {
      const revision = yield* raiseRevision(sql)
      const at = new Date(now)
      const changed = yield* sql`
        update webhook set active = false, disabled_at = ${at}::timestamptz, disabled_reason = ${reason},
          updated_at = ${at}::timestamptz, revision = ${revision}
        where id = ${id} and active returning id`
      return changed.length > 0
    }),
  )
