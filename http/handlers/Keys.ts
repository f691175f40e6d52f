import { Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { allowances } from "#src/domain/Plan.ts"
import { issuedBody } from "#src/keys/issuedBody.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type Caller, type KeyName, type KeyRecord, type NoFreeKey, unnamed } from "#src/keys/model.ts"
import { Api } from "../Api.ts"
import { Gatekeeper } from "../access/Gatekeeper.ts"
import { givenKey } from "../access/givenKey.ts"
import { anyKey } from "../access/Rule.ts"
import { Conflict, NotFound, TooManyRequests, type Unavailable } from "../errors.ts"
import { CurrentCaller } from "../middleware/Gate.ts"
import { unavailable } from "./unavailable.ts"

const mostListed = 200

const shown = (record: KeyRecord, caller: Caller) => ({
  id: record.id,
  name: record.name,
  key: record.shown,
  created_at: record.createdAt.toISOString(),
  revoked_at: record.revokedAt?.toISOString() ?? null,
  is_this: record.id === caller.key,
})

const notFound = () =>
  new NotFound({ error: "There is no such key.", hint: "GET /v1/keys lists those of the account." })
const conflict = ({ message }: Error) => new Conflict({ error: `Not possible: ${message}.` })
const tooMany = ({ message, again }: NoFreeKey) =>
  new TooManyRequests({
    error: `Too many key generation requests: ${message}.`,
    reset_at: Math.ceil(again.getTime() / 1000),
  })
const away = unavailable("keys")

export const KeysHandlers = HttpApiBuilder.group(
  Api,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    const gatekeeper = yield* Gatekeeper

    const createFree = (request: HttpServerRequest, name: KeyName) =>
      Effect.matchEffect(gatekeeper.guardStrictly(request), {
        onFailure: Effect.succeed,
        onSuccess: () =>
          keys.grantFree(name, gatekeeper.addressOf(request)).pipe(
            Effect.map(issuedBody),
            Effect.catch(
              (error): Effect.Effect<never, TooManyRequests | Unavailable> =>
                error._tag === "NoFreeKey" ? Effect.fail(tooMany(error)) : away(error),
            ),
          ),
      })

    const createMore = (request: HttpServerRequest, name: KeyName) =>
      Effect.matchEffect(gatekeeper.check(request, anyKey, "keys"), {
        onFailure: Effect.succeed,
        onSuccess: ({ caller }) =>
          keys.createKey(caller.account, name).pipe(
            Effect.map(issuedBody),
            Effect.catch(
              (error): Effect.Effect<never, Conflict | Unavailable> =>
                error._tag === "TooManyKeys" ? Effect.fail(conflict(error)) : away(error),
            ),
          ),
      })

    return handlers.handleAll({
      create: ({ payload, request }) => {
        const name = payload?.name ?? unnamed
        return givenKey(request)._tag === "None" ? createFree(request, name) : createMore(request, name)
      },
      list: Effect.fnUntraced(function* () {
        const caller = yield* CurrentCaller
        const records = yield* Effect.catch(keys.listKeys(caller.account, mostListed), away)
        return {
          keys: records.map((record) => shown(record, caller)),
          plan: caller.plan,
          keys_allowed: allowances[caller.plan].keys,
        }
      }),
      revoke: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const record = yield* Effect.catch(keys.revoke(params.id, caller.account), (error) =>
          error._tag === "NoSuchKey" ? Effect.fail(notFound()) : away(error),
        )
        return shown(record, caller)
      }),
      rotate: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const issued = yield* Effect.catch(keys.rotate(params.id, caller.account), (error) => {
          if (error._tag === "KeyRevoked") return Effect.fail(conflict(error))
          return error._tag === "NoSuchKey" ? Effect.fail(notFound()) : away(error)
        })
        return issuedBody(issued)
      }),
    })
  }),
)
