import { Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { webhooksPreviewBudget } from "#src/webhooks/settings.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import { allowTime } from "../../server/deadline.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { WebhooksGroup } from "../group.ts"
import { distinct, readFilters, storeFailed, tooManyPreviews } from "../translate.ts"

/** What a webhook with these types and filters would have received. */
export const previewHandler = Effect.gen(function* () {
  const config = yield* Configuration
  const previews = yield* Preview
  return Effect.fnUntraced(function* ({ request, payload }: RequestOf<typeof WebhooksGroup, "preview">) {
    allowTime(request, config.get(webhooksPreviewBudget))
    const eventTypes = distinct(payload.event_types)
    const { account } = yield* CurrentCaller
    const filters = yield* readFilters(eventTypes, payload.filters ?? {})
    const preview = Effect.map(previews.preview({ account, eventTypes, filters }), ({ since, ...rest }) => ({
      ...rest,
      since: since.toISOString(),
    }))
    return yield* Effect.catch(preview, (error) =>
      error._tag === "PreviewBusy" ? Effect.succeed(tooManyPreviews(error)) : storeFailed(error),
    )
  })
})
