import { Clock, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Admission } from "#src/access/Admission.ts"
import { noFreeKey } from "#src/access/refusals.ts"
import type { Caller } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type KeyName, unnamed } from "#src/keys/model.ts"
import { Api } from "../Api.ts"
import { accessRequestOf } from "../access/accessRequest.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { hostGuard } from "../middleware/hostGuard.ts"
import { type Conflict, refusalResponse, type Unavailable } from "../server/errors.ts"
import { conflict, issued, notDone, shown, storeFailed } from "./translate.ts"

const maxListed = 200

export const KeysHandlers = HttpApiBuilder.group(
  Api,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    const admission = yield* Admission
    const misdirected = yield* hostGuard

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
