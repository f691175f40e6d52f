import { Effect, Redacted } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { webhooksConfirmations } from "#src/webhooks/settings.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { WebhooksGroup } from "../group.ts"
import { ownWebhook } from "../own.ts"
import { distinct, idOf, notCreated, notDone, shown, storeFailed } from "../translate.ts"

/** A secret must not be cached on the way. */
const noStore = { "cache-control": "no-store" }

type Request<Name extends string> = RequestOf<typeof WebhooksGroup, Name>

/** The webhooks of an account, and their secrets. */
export const subscriptionsHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const own = yield* ownWebhook
  const config = yield* Configuration
  const standard = () => config.get(webhooksConfirmations)
  return {
    create: Effect.fnUntraced(function* ({ payload, headers }: Request<"create">) {
      const { account } = yield* CurrentCaller
      const { url, event_types: types, filters = {}, confirmations, description = null, secret } = payload
      const webhook = {
        url,
        eventTypes: distinct(types),
        filters,
        confirmations,
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
      return { webhooks: found.map(shown(standard())), count: found.length }
    }),
    get: ({ params }: Request<"get">) => Effect.map(own(params.id), shown(standard())),
    update: Effect.fnUntraced(function* ({ params, payload }: Request<"update">) {
      const { account } = yield* CurrentCaller
      const { event_types: types, ...changes } = payload
      const update = { ...changes, eventTypes: types && distinct(types) }
      return shown(standard())(yield* Effect.catch(webhooks.update(account, yield* idOf(params.id), update), notDone))
    }),
    remove: Effect.fnUntraced(function* ({ params }: Request<"remove">) {
      const { account } = yield* CurrentCaller
      yield* Effect.catch(webhooks.remove(account, yield* idOf(params.id)), notDone)
      return { deleted: true } as const
    }),
    rotate: Effect.fnUntraced(function* ({ params, headers }: Request<"rotate">) {
      const { account } = yield* CurrentCaller
      const rotating = webhooks.rotate(account, yield* idOf(params.id), headers["idempotency-key"])
      const rotated = yield* Effect.catch(rotating, notDone)
      const previous_valid_until = rotated.previousUntil.toISOString()
      const body = { secret: Redacted.value(rotated.secret), previous_valid_until }
      return HttpServerResponse.jsonUnsafe(body, { headers: noStore })
    }),
  }
})
