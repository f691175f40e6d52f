import { Clock, Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { Caller } from "#src/domain/Account.ts"
import type { Standing } from "#src/limits/model.ts"
import { Quota, QuotaAway, QuotaUsedUp } from "#src/limits/Quota.ts"
import { Gatekeeper } from "../access/Gatekeeper.ts"
import { givenKey } from "../access/givenKey.ts"
import { AccessRule, type MonthlyUnits } from "../access/Rule.ts"
import { limitHeaders, noUnitsLeft, storeAway, unitHeaders } from "../access/refusals.ts"
import { CurrentCaller, Gate } from "./Gate.ts"
import { queryKeys } from "./queryKey.ts"

type Response = HttpServerResponse.HttpServerResponse

const privately = { "cache-control": "private", vary: "x-api-key, authorization" }
/** An address with a key in it must not travel on. */
const unreferred = { "referrer-policy": "no-referrer" }

/** What an endpoint says about being kept stands; otherwise only whoever asked may keep it. */
const withHeaders = (response: Response, request: HttpServerRequest, standing: Standing): Response =>
  HttpServerResponse.setHeaders(response, {
    ...limitHeaders(standing),
    ...(response.headers["cache-control"] === undefined ? privately : {}),
    ...(queryKeys(request).length === 0 ? {} : unreferred),
  })

export const GateLive = Layer.effect(
  Gate,
  Effect.gen(function* () {
    const gatekeeper = yield* Gatekeeper
    const quota = yield* Quota

    /** Uses up a unit of the month for an answer that is one. Before the limits, because a 429 costs nothing. */
    const charged = <E, R>(
      work: Effect.Effect<Response, E, R>,
      { account, plan }: Caller,
      { name, perMonth }: MonthlyUnits,
    ) =>
      quota
        .metered(account, name, perMonth[plan], work, ({ status }) => status === 200)
        .pipe(
          Effect.map(({ answer, standing }) => HttpServerResponse.setHeaders(answer, unitHeaders(standing))),
          Effect.catch((failure) => {
            if (failure instanceof QuotaUsedUp)
              return Effect.map(Clock.currentTimeMillis, (now) => noUnitsLeft(failure, now))
            return failure instanceof QuotaAway ? Effect.succeed(storeAway()) : Effect.fail(failure)
          }),
        )

    return Gate.of((next, { endpoint, group }) => {
      const rule = Context.get(endpoint.annotations, AccessRule)
      // Nobody is identified, so nobody can be asked for; such an endpoint does not.
      const anonymous = next as Effect.Effect<Response, Effect.Error<typeof next>>
      if (rule.key === "none") return anonymous

      const admitted = (request: HttpServerRequest, caller: Caller) => {
        const passed = Effect.matchEffect(gatekeeper.admit(caller, rule, group.identifier), {
          onFailure: Effect.succeed,
          onSuccess: ({ standing }) =>
            Effect.map(Effect.provideService(next, CurrentCaller, caller), (response) =>
              withHeaders(response, request, standing),
            ),
        })
        return rule.units === undefined ? passed : charged(passed, caller, rule.units)
      }

      return Effect.flatMap(HttpServerRequest, (request) =>
        rule.key === "optional" && givenKey(request)._tag === "None"
          ? Effect.matchEffect(gatekeeper.guard(request, rule), {
              onFailure: Effect.succeed,
              onSuccess: () => anonymous,
            })
          : Effect.matchEffect(gatekeeper.identify(request, rule), {
              onFailure: Effect.succeed,
              onSuccess: (caller) => admitted(request, caller),
            }),
      )
    })
  }),
)
