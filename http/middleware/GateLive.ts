import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { Quota, QuotaAway, QuotaUsedUp } from "#src/limits/Quota.ts"
import { Gatekeeper, type Pass } from "../access/Gatekeeper.ts"
import { AccessRule, type MonthlyUnits } from "../access/Rule.ts"
import { limitHeaders, noUnitsLeft, storeAway, unitHeaders } from "../access/refusals.ts"
import { CurrentCaller, Gate } from "./Gate.ts"
import { queryKeys } from "./queryKey.ts"

type Response = HttpServerResponse.HttpServerResponse

// A key in the address must not travel on with it.
const noReferrer = { "referrer-policy": "no-referrer" }

export const GateLive = Layer.effect(
  Gate,
  Effect.gen(function* () {
    const gatekeeper = yield* Gatekeeper
    const quota = yield* Quota

    /** Uses up a unit of the month, for an answer that is one. */
    const charged = <E, R>(work: Effect.Effect<Response, E, R>, { caller }: Pass, { name, perMonth }: MonthlyUnits) =>
      quota
        .metered(caller.account, name, perMonth[caller.plan], work, ({ status }) => status === 200)
        .pipe(
          Effect.map(({ answer, standing }) => HttpServerResponse.setHeaders(answer, unitHeaders(standing))),
          Effect.catch((failure) => {
            if (failure instanceof QuotaUsedUp) return Effect.succeed(noUnitsLeft(failure))
            return failure instanceof QuotaAway ? Effect.succeed(storeAway()) : Effect.fail(failure)
          }),
        )

    return Gate.of((next, { endpoint, group }) => {
      const rule = Context.get(endpoint.annotations, AccessRule)
      // Nobody has been identified, so nobody can be asked for; such an endpoint does not.
      if (rule.key !== "needed") return next as Effect.Effect<Response, Effect.Error<typeof next>>
      return Effect.flatMap(HttpServerRequest, (request) =>
        Effect.matchEffect(gatekeeper.check(request, rule, group.identifier), {
          onFailure: Effect.succeed,
          onSuccess: (pass) => {
            const work = Effect.provideService(next, CurrentCaller, pass.caller)
            const answered = rule.units === undefined ? work : charged(work, pass, rule.units)
            const headers = limitHeaders(pass.standing)
            return Effect.map(
              answered,
              HttpServerResponse.setHeaders(queryKeys(request).length === 0 ? headers : { ...headers, ...noReferrer }),
            )
          },
        }),
      )
    })
  }),
)
