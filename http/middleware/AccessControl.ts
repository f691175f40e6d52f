import { Clock, Context, Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiMiddleware from "effect/unstable/httpapi/HttpApiMiddleware"
import { givenKeyOf } from "#src/access/AccessRequest.ts"
import { Admission } from "#src/access/Admission.ts"
import type { MonthlyUnits } from "#src/access/Rule.ts"
import { limitHeaders, quotaExceeded, quotaHeaders, type Refusal, storeUnavailable } from "#src/access/refusals.ts"
import type { Caller } from "#src/domain/Account.ts"
import { makeInTurn } from "#src/limits/InTurn.ts"
import type { LimitStatus } from "#src/limits/model.ts"
import { Quota, QuotaExceeded, QuotaUnavailable } from "#src/limits/Quota.ts"
import { limitsInProgress } from "#src/limits/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { accessRequestOf } from "../access/accessRequest.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { AccessRule } from "../access/Rule.ts"
import { refusalResponse } from "../server/errors.ts"

const text = Schema.optionalKey(Schema.String)

const refusal = (identifier: string, status: number, description: string, fields: Schema.Struct.Fields = {}) =>
  Schema.Struct({ error: Schema.String, hint: text, ...fields }).annotate({
    identifier,
    httpApiStatus: status,
    description,
  })

/** Account and key of the current request. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("presage/http/CurrentCaller") {}

/**
 * Checks key, plan and limits, in this order and before the parameters. Every endpoint of the API has it; an endpoint
 * declares other needs in one line, see `http/access/Rule.ts`.
 */
export class AccessControl extends HttpApiMiddleware.Service<AccessControl, { provides: CurrentCaller }>()(
  "presage/http/AccessControl",
  {
    error: [
      refusal("Unauthorized", 401, "The key is missing, malformed or unknown, or the request has several keys"),
      refusal("Forbidden", 403, "The key is revoked, its account is not active, or its plan is too low", {
        plan: text,
        required_plan: text,
      }),
      refusal("TooManyRequests", 429, "A limit is exceeded; the request was not charged", {
        scope: text,
        limit: Schema.optionalKey(Schema.Int),
        reset_at: Schema.optionalKey(Schema.Int.annotate({ description: "Unix seconds" })),
      }),
    ],
  },
) {}

type Response = HttpServerResponse.HttpServerResponse

const privateCache = { "cache-control": "private", vary: "x-api-key, authorization" }

/** An endpoint's own cache-control stays; otherwise only the caller may cache the answer. */
const withHeaders = (response: Response, limits: LimitStatus): Response =>
  HttpServerResponse.setHeaders(response, {
    ...limitHeaders(limits),
    ...(response.headers["cache-control"] === undefined ? privateCache : {}),
  })

const answer = (refused: Refusal) => Effect.succeed(refusalResponse(refused))

export const AccessControlLive = Layer.effect(
  AccessControl,
  Effect.gen(function* () {
    const admission = yield* Admission
    const quota = yield* Quota
    const config = yield* Configuration
    // Else one account's slow requests could take all connections to Postgres.
    const inTurn = makeInTurn(() => config.get(limitsInProgress))

    /** Charges a unit of the month for an answer with status 200. Wraps the limits, because a 429 costs nothing. */
    const charged = <E, R>(
      work: Effect.Effect<Response, E, R>,
      { account, plan }: Caller,
      { name, perMonth }: MonthlyUnits,
    ) =>
      quota
        .metered(account, name, perMonth[plan], work, ({ status }) => status === 200)
        .pipe(
          Effect.map(({ answer, status }) => HttpServerResponse.setHeaders(answer, quotaHeaders(status))),
          Effect.catch((failure) => {
            if (failure instanceof QuotaExceeded)
              return Effect.map(Clock.currentTimeMillis, (now) => refusalResponse(quotaExceeded(failure, now)))
            return failure instanceof QuotaUnavailable ? answer(storeUnavailable()) : Effect.fail(failure)
          }),
        )

    return AccessControl.of((next, { endpoint, group }) => {
      const rule = Context.get(endpoint.annotations, AccessRule)
      // Without a key there is no caller to provide; such an endpoint does not use it.
      const anonymous = next as Effect.Effect<Response, Effect.Error<typeof next>>
      if (rule.key === "none") return anonymous

      const isElsewhere = Context.get(group.annotations, Elsewhere)
      const lineOf = ({ account }: Caller) => (isElsewhere ? `${account} ${group.identifier}` : account)

      const admitted = (caller: Caller) => {
        const passed = Effect.matchEffect(admission.admit(caller, rule, group.identifier), {
          onFailure: answer,
          onSuccess: ({ limits }) =>
            Effect.map(inTurn(lineOf(caller), Effect.provideService(next, CurrentCaller, caller)), (response) =>
              withHeaders(response, limits),
            ),
        })
        return rule.units === undefined ? passed : charged(passed, caller, rule.units)
      }

      return Effect.flatMap(HttpServerRequest, (incoming) => {
        const request = accessRequestOf(incoming)
        return rule.key === "optional" && givenKeyOf(request)._tag === "None"
          ? Effect.matchEffect(admission.guardAddress(request, rule.needsRedis), {
              onFailure: answer,
              onSuccess: () => anonymous,
            })
          : Effect.matchEffect(admission.identify(request, rule), {
              onFailure: answer,
              onSuccess: admitted,
            })
      })
    })
  }),
)
