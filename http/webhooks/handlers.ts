import { Effect, Redacted, Schema } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { isEventId } from "#src/webhooks/delivery/eventIds.ts"
import { eventTypeInfos } from "#src/webhooks/eventTypes.ts"
import { type Webhook, type WebhookEventType, WebhookId } from "#src/webhooks/model.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { SecretLost } from "#src/webhooks/subscriptions/refusals.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { Api } from "../Api.ts"
import { Conflict, NotFound, unavailable } from "../errors.ts"
import { CurrentCaller } from "../middleware/Gate.ts"
import { readMoment } from "./moment.ts"
import {
  notCreated,
  notDone,
  notFound,
  notPossible,
  readFilters,
  shown,
  shownAttempt,
  shownRelease,
  shownReplay,
  shownType,
  tooManyPreviews,
} from "./translate.ts"

const away = unavailable("webhooks")
const defaultLimit = 50

/** A secret must not be kept on the way. */
const unkept = { "cache-control": "no-store" }

const isId = Schema.is(WebhookId)
/** What cannot be the id of one is treated like one that is not there. */
const idOf = (text: string): Effect.Effect<WebhookId, NotFound> =>
  isId(text) ? Effect.succeed(text) : Effect.fail(notFound())

const noEvent = () =>
  new NotFound({ error: "There is no delivery of this event.", hint: "Deliveries are kept for 7 days." })

const distinct = (types: ReadonlyArray<WebhookEventType>) => [...new Set(types)]

/** Sent now, it would only be held again. */
const mustBeActive = ({ active }: Webhook): Effect.Effect<void, Conflict> =>
  active
    ? Effect.void
    : Effect.fail(
        new Conflict({
          error: "The webhook is not active.",
          hint: 'Resume it first: PUT /v3/webhooks/:id {"active":true}.',
        }),
      )

export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    const previews = yield* Preview
    const event_types = Object.values(eventTypeInfos).map(shownType)

    /** The webhook of a path, if it is the asker's. */
    const own = Effect.fnUntraced(function* (path: string) {
      const { account } = yield* CurrentCaller
      return yield* Effect.catch(webhooks.get(account, yield* idOf(path)), notDone)
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload, headers }) {
        const { account } = yield* CurrentCaller
        const { url, event_types: types, filters = {}, description = null, secret } = payload
        const wanted = {
          url,
          eventTypes: distinct(types),
          filters,
          description,
          secret: secret === undefined ? undefined : Redacted.make(secret),
          requestKey: headers["idempotency-key"],
        }
        const created = yield* Effect.catch(webhooks.create(account, wanted), notCreated)
        return HttpServerResponse.jsonUnsafe(created, { status: 201, headers: unkept })
      }),
      list: Effect.fnUntraced(function* () {
        const { account } = yield* CurrentCaller
        const found = yield* Effect.catch(webhooks.list(account), away)
        return { webhooks: found.map(shown), count: found.length }
      }),
      eventTypes: () => Effect.succeed({ event_types }),
      preview: Effect.fnUntraced(function* ({ payload: { event_types: types, filters = {} } }) {
        const eventTypes = distinct(types)
        const { account } = yield* CurrentCaller
        const asked = { account, eventTypes, filters: yield* readFilters(eventTypes, filters) }
        const seen = Effect.map(previews.preview(asked), ({ since, ...rest }) => ({
          ...rest,
          since: since.toISOString(),
        }))
        return yield* Effect.catch(seen, (error) =>
          error._tag === "PreviewBusy" ? Effect.succeed(tooManyPreviews(error)) : away(error),
        )
      }),
      get: ({ params }) => Effect.map(own(params.id), shown),
      update: Effect.fnUntraced(function* ({ params, payload }) {
        const { account } = yield* CurrentCaller
        const { event_types: types, ...changes } = payload
        const wanted = { ...changes, eventTypes: types && distinct(types) }
        return shown(yield* Effect.catch(webhooks.update(account, yield* idOf(params.id), wanted), notDone))
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        const { account } = yield* CurrentCaller
        yield* Effect.catch(webhooks.remove(account, yield* idOf(params.id)), notDone)
        return { deleted: true } as const
      }),
      test: Effect.fnUntraced(function* ({ params }) {
        const { id, hasSecret } = yield* own(params.id)
        if (!hasSecret) return yield* notPossible(new SecretLost())
        const { delivered, statusCode, latencyMs, error } = yield* Effect.catch(deliveries.test(id), away)
        return { delivered, status_code: statusCode, latency_ms: latencyMs, error }
      }),
      rotate: Effect.fnUntraced(function* ({ params, headers }) {
        const { account } = yield* CurrentCaller
        const rotating = webhooks.rotate(account, yield* idOf(params.id), headers["idempotency-key"])
        const rotated = yield* Effect.catch(rotating, notDone)
        const body = {
          secret: Redacted.value(rotated.secret),
          previous_valid_until: rotated.previousUntil.toISOString(),
        }
        return HttpServerResponse.jsonUnsafe(body, { headers: unkept })
      }),
      deliveries: Effect.fnUntraced(function* ({ params, query }) {
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
        const records = yield* Effect.catch(deliveries.history(id, options), away)
        return { deliveries: records.map(shownAttempt), count: records.length }
      }),
      redeliver: Effect.fnUntraced(function* ({ params }) {
        const webhook = yield* own(params.id)
        if (!isEventId(params.event_id)) return yield* noEvent()
        yield* mustBeActive(webhook)
        const released = yield* Effect.catch(deliveries.redeliver(webhook.id, webhook.account, params.event_id), away)
        return shownRelease(released ?? (yield* noEvent()))
      }),
      replay: Effect.fnUntraced(function* ({ params, payload }) {
        const webhook = yield* own(params.id)
        const since = yield* readMoment("since", payload.since)
        yield* mustBeActive(webhook)
        const options = {
          since,
          which: payload.delivered === true ? ("all" as const) : ("missed" as const),
          after: payload.after === undefined ? undefined : BigInt(payload.after),
        }
        return shownReplay(yield* Effect.catch(deliveries.replay(webhook.id, webhook.account, options), away))
      }),
    })
  }),
)
