import { Duration, Effect, Redacted } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { isEventId } from "#src/webhooks/eventId.ts"
import { eventTypeInfos } from "#src/webhooks/eventTypes.ts"
import { webhooksDeadline, webhooksPreviewBudget } from "#src/webhooks/settings.ts"
import { SecretLost } from "#src/webhooks/subscriptions/errors.ts"
import { filterJsonSchema, filterNames } from "#src/webhooks/subscriptions/filterFields.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { allowTime } from "../server/deadline.ts"
import { unavailable } from "../server/errors.ts"
import {
  distinct,
  idOf,
  noEvent,
  notCreated,
  notDone,
  notPossible,
  readFilters,
  readTime,
  requireActive,
  shown,
  shownAttempt,
  shownDelivery,
  shownHealth,
  shownRelease,
  shownReplay,
  shownType,
  tooManyPreviews,
} from "./translate.ts"

const storeFailed = unavailable("webhooks")
const defaultLimit = 50

/** A secret must not be cached on the way. */
const noStore = { "cache-control": "no-store" }

export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const config = yield* Configuration
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    const previews = yield* Preview
    const event_types = Object.values(eventTypeInfos).map(shownType)
    const filterSchemas = Object.fromEntries(filterNames.map((name) => [name, filterJsonSchema(name)]))

    /** The webhook of the path, if it belongs to the caller's account. */
    const own = Effect.fnUntraced(function* (path: string) {
      const { account } = yield* CurrentCaller
      return yield* Effect.catch(webhooks.get(account, yield* idOf(path)), notDone)
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload, headers }) {
        const { account } = yield* CurrentCaller
        const { url, event_types: types, filters = {}, description = null, secret } = payload
        const webhook = {
          url,
          eventTypes: distinct(types),
          filters,
          description,
          secret: secret === undefined ? undefined : Redacted.make(secret),
          requestKey: headers["idempotency-key"],
        }
        const created = yield* Effect.catch(webhooks.create(account, webhook), notCreated)
        return HttpServerResponse.jsonUnsafe(created, { status: 201, headers: noStore })
      }),
      list: Effect.fnUntraced(function* () {
        const { account } = yield* CurrentCaller
        const found = yield* Effect.catch(webhooks.list(account), storeFailed)
        return { webhooks: found.map(shown), count: found.length }
      }),
      eventTypes: () => Effect.succeed({ event_types, filters: filterSchemas }),
      health: Effect.fnUntraced(function* () {
        const { account } = yield* CurrentCaller
        const found = yield* Effect.catch(deliveries.health(account), storeFailed)
        return { webhooks: found.map(shownHealth) }
      }),
      preview: Effect.fnUntraced(function* ({ request: incoming, payload: { event_types: types, filters = {} } }) {
        allowTime(incoming, config.get(webhooksPreviewBudget))
        const eventTypes = distinct(types)
        const { account } = yield* CurrentCaller
        const request = { account, eventTypes, filters: yield* readFilters(eventTypes, filters) }
        const preview = Effect.map(previews.preview(request), ({ since, ...rest }) => ({
          ...rest,
          since: since.toISOString(),
        }))
        return yield* Effect.catch(preview, (error) =>
          error._tag === "PreviewBusy" ? Effect.succeed(tooManyPreviews(error)) : storeFailed(error),
        )
      }),
      get: ({ params }) => Effect.map(own(params.id), shown),
      update: Effect.fnUntraced(function* ({ params, payload }) {
        const { account } = yield* CurrentCaller
        const { event_types: types, ...changes } = payload
        const update = { ...changes, eventTypes: types && distinct(types) }
        return shown(yield* Effect.catch(webhooks.update(account, yield* idOf(params.id), update), notDone))
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        const { account } = yield* CurrentCaller
        yield* Effect.catch(webhooks.remove(account, yield* idOf(params.id)), notDone)
        return { deleted: true } as const
      }),
      test: Effect.fnUntraced(function* ({ params, request }) {
        // An example is looked for twice, at most.
        const looking = Duration.times(config.get(webhooksPreviewBudget), 2)
        allowTime(request, Duration.sum(looking, config.get(webhooksDeadline)))
        const { id, hasSecret, eventTypes, filters } = yield* own(params.id)
        if (!hasSecret) return yield* notPossible(new SecretLost())
        const sending = Effect.flatMap(previews.example(eventTypes[0] ?? "trade", filters), (example) =>
          deliveries.test(id, example),
        )
        const { delivered, statusCode, latencyMs, error } = yield* Effect.catch(sending, storeFailed)
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
        return HttpServerResponse.jsonUnsafe(body, { headers: noStore })
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
        const records = yield* Effect.catch(deliveries.history(id, options), storeFailed)
        return { deliveries: records.map(shownAttempt), count: records.length }
      }),
      delivery: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* own(params.id)
        const found = yield* Effect.catch(deliveries.get(id, params.event_id), storeFailed)
        return shownDelivery(params.event_id, found ?? (yield* noEvent()))
      }),
      redeliver: Effect.fnUntraced(function* ({ params }) {
        const webhook = yield* own(params.id)
        if (!isEventId(params.event_id)) return yield* noEvent()
        yield* requireActive(webhook)
        const released = yield* Effect.catch(
          deliveries.redeliver(webhook.id, webhook.account, params.event_id),
          storeFailed,
        )
        return shownRelease(released ?? (yield* noEvent()))
      }),
      replay: Effect.fnUntraced(function* ({ params, payload }) {
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
    })
  }),
)
