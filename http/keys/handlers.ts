import { Clock, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Admission } from "#src/access/Admission.ts"
import { noFreeKey } from "#src/access/refusals.ts"
import type { Caller } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type IssuedKey, issuedBody, type KeyName, type KeyRecord, type NoSuchKey, unnamed } from "#src/keys/model.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { Api } from "../Api.ts"
import { accessRequestOf } from "../access/accessRequest.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { hostGuard } from "../middleware/hostGuard.ts"
import { Conflict, NotFound, refusalResponse, type Unavailable, unavailable } from "../server/errors.ts"

const maxListed = 200

const shown = (record: KeyRecord, caller: Caller) => ({
  id: record.id,
  name: record.name,
  key: record.shown,
  created_at: record.createdAt.toISOString(),
  revoked_at: record.revokedAt?.toISOString() ?? null,
  last_used_at: record.lastUsedAt?.toISOString() ?? null,
  is_this: record.id === caller.key,
})

const notFound = () =>
  new NotFound({ error: "The key does not exist.", hint: "GET /v1/keys lists the keys of the account." })
const conflict = ({ message }: Error) => new Conflict({ error: `Not possible: ${message}.` })
const storeFailed = unavailable("keys")
const notDone = (error: NoSuchKey | TxError): Effect.Effect<never, NotFound | Unavailable> =>
  error._tag === "NoSuchKey" ? Effect.fail(notFound()) : storeFailed(error)

export const KeysHandlers = HttpApiBuilder.group(
  Api,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    const admission = yield* Admission
    const misdirected = yield* hostGuard

    /** A key must not be cached on the way. */
    const issued = (key: IssuedKey) =>
      HttpServerResponse.jsonUnsafe(issuedBody(key), { status: 201, headers: { "cache-control": "no-store" } })

    const createFree = (request: HttpServerRequest, name: KeyName) =>
      Effect.catch(Effect.map(keys.grantFree(name, admission.addressOf(accessRequestOf(request))), issued), (error) =>
        error._tag === "NoFreeKey"
          ? Effect.map(Clock.currentTimeMillis, (now) => refusalResponse(noFreeKey(error, now)))
          : storeFailed(error),
      )

    const createMore = ({ account }: Caller, name: KeyName) =>
      Effect.catch(
        Effect.map(keys.createKey(account, name), issued),
        (error): Effect.Effect<never, Conflict | Unavailable> =>
          error._tag === "TooManyKeys" ? Effect.fail(conflict(error)) : storeFailed(error),
      )

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload, request }) {
        const name = payload?.name ?? unnamed
        const caller = yield* Effect.serviceOption(CurrentCaller)
        if (Option.isSome(caller)) return yield* createMore(caller.value, name)
        const refusal = misdirected(request)
        return yield* refusal === undefined ? createFree(request, name) : Effect.fail(refusal)
      }),
      list: Effect.fnUntraced(function* () {
        const caller = yield* CurrentCaller
        const records = yield* Effect.catch(keys.listKeys(caller.account, maxListed), storeFailed)
        return {
          keys: records.map((record) => shown(record, caller)),
          plan: caller.plan,
          keys_allowed: allowances[caller.plan].keys,
        }
      }),
      rename: Effect.fnUntraced(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        return shown(yield* Effect.catch(keys.rename(params.id, caller.account, payload.name), notDone), caller)
      }),
      revoke: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        return shown(yield* Effect.catch(keys.revoke(params.id, caller.account), notDone), caller)
      }),
      rotate: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const rotated = yield* Effect.catch(keys.rotate(params.id, caller.account), (error) => {
          if (error._tag === "KeyRevoked") return Effect.fail(conflict(error))
          return error._tag === "SecretAbandoned" ? storeFailed(error) : notDone(error)
        })
        return issued(rotated)
      }),
    })
  }),
)
