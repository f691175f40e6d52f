import { Effect } from "effect"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { isEventId } from "#src/webhooks/eventId.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { WebhooksGroup } from "../group.ts"
import { ownWebhook } from "../own.ts"
import {
  noEvent,
  readTime,
  requireActive,
  shownAttempt,
  shownDelivery,
  shownRelease,
  shownReplay,
  storeFailed,
} from "../translate.ts"

const defaultLimit = 50

type Request<Name extends string> = RequestOf<typeof WebhooksGroup, Name>

/** What was sent to a webhook, and sending it again. */
export const deliveriesHandlers = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const own = yield* ownWebhook
  return {
    deliveries: Effect.fnUntraced(function* ({ params, query }: Request<"deliveries">) {
      const { id } = yield* own(params.id)
      const { limit = defaultLimit, offset = 0, before, event_id, success } = query
      if (event_id !== undefined && !isEventId(event_id)) return { deliveries: [], count: 0 }
      const options = {
        limit,
        offset,
        before: before === undefined ? undefined : BigInt(before),
        eventId: event_id,
        success: success === undefined ? undefined : success === "true",
      }
      const records = yield* Effect.catch(deliveries.history(id, options), storeFailed)
      return { deliveries: records.map(shownAttempt), count: records.length }
    }),
    delivery: Effect.fnUntraced(function* ({ params }: Request<"delivery">) {
      const { id } = yield* own(params.id)
      const found = yield* Effect.catch(deliveries.get(id, params.event_id), storeFailed)
      return shownDelivery(params.event_id, found ?? (yield* noEvent()))
    }),
    redeliver: Effect.fnUntraced(function* ({ params }: Request<"redeliver">) {
      const webhook = yield* own(params.id)
      if (!isEventId(params.event_id)) return yield* noEvent()
      yield* requireActive(webhook)
      const sending = deliveries.redeliver(webhook.id, webhook.account, params.event_id)
      const released = yield* Effect.catch(sending, storeFailed)
      return shownRelease(released ?? (yield* noEvent()))
    }),
    replay: Effect.fnUntraced(function* ({ params, payload }: Request<"replay">) {
      const webhook = yield* own(params.id)
      const since = yield* readTime("since", payload.since)
      yield* requireActive(webhook)
      const options = {
        since,
        which: payload.delivered === true ? ("all" as const) : ("missed" as const),
        after: payload.after === undefined ? undefined : BigInt(payload.after),
      }
      return shownReplay(yield* Effect.catch(deliveries.replay(webhook.id, webhook.account, options), storeFailed))
    }),
  }
})
