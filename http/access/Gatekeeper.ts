import { Clock, Context, Effect, Layer } from "effect"
import { type HttpServerResponse, isHttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import type { Caller } from "#src/domain/Account.ts"
import { isAtLeast } from "#src/domain/Plan.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"
import type { Verdict } from "#src/keys/verdicts.ts"
import * as buckets from "#src/limits/buckets.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import type { Admission, Standing } from "#src/limits/model.ts"
import type { Buckets } from "#src/limits/verdict.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { Meter } from "#src/usage/Meter.ts"
import { type Asked, Incoming } from "../server/Exchange.ts"
import { addresses } from "./addresses.ts"
import { givenKey } from "./givenKey.ts"
import type { Rule } from "./Rule.ts"
import * as refusals from "./refusals.ts"

/** Refusals of keys are answered no sooner than this, so that how long the look-up took cannot be told from outside. */
const leastRefusalMillis = 20

/** A request that may be answered. */
export interface Pass {
  readonly caller: Caller
  readonly standing: Standing
}

type Refused = HttpServerResponse

/** Looks at every request that needs a key: the key first, then the plan, then the limits. */
export class Gatekeeper extends Context.Service<
  Gatekeeper,
  {
    /** Whose key it is, if the plan is high enough for the endpoint. */
    readonly identify: (request: Asked, rule: Rule) => Effect.Effect<Caller, Refused>
    /** Whether the account may ask now; counts it as a request of the family. */
    readonly admit: (caller: Caller, rule: Rule, family: string) => Effect.Effect<Pass, Refused>
    /**
     * Both without an Effect, where the key and its plan are known to be good: tells whether the limits have a place.
     * False, and nothing is charged, where there is more to do.
     */
    readonly checkKnown: (
      request: Asked,
      rule: Rule,
      family: string,
      tell: (outcome: Pass | Refused) => void,
    ) => boolean
    /** Counts a request that brings no key against its address. */
    readonly guard: (request: Asked, rule: Rule) => Effect.Effect<void, Refused>
    readonly addressOf: (request: Asked) => string
  }
>()("presage/http/Gatekeeper") {
  static readonly layer = Layer.effect(
    Gatekeeper,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const authenticator = yield* Authenticator
  const limiter = yield* Limiter
  const meter = yield* Meter
  const { pepper } = yield* Secrets
  const clock = yield* Clock.Clock
  const addressOf = yield* addresses

  const nowMillis = () => clock.currentTimeMillisUnsafe()

  const take = (rule: Rule, owner: string, asked: Buckets): Effect.Effect<Admission, Refused> =>
    rule.needsRedis
      ? Effect.mapError(limiter.take(owner, asked), refusals.storeAway)
      : limiter.takeOrLocal(owner, asked)

  const guard = (request: Asked, rule: Rule): Effect.Effect<void, Refused> => {
    const owner = buckets.addressOwner(pepper, addressOf(request))
    return Effect.flatMap(take(rule, owner, [buckets.addressGuard(config)]), ({ admitted, standing }) =>
      admitted ? Effect.void : Effect.fail(refusals.tooManyStrangers(standing, nowMillis())),
    )
  }

  const turnAway = (request: Asked, rule: Rule, refused: Refused) =>
    Effect.gen(function* () {
      const { source } = request
      const spent = source instanceof Incoming ? performance.now() - source.startedAt : 0
      yield* guard(request, rule)
      if (spent < leastRefusalMillis) yield* Effect.sleep(leastRefusalMillis - spent)
      return yield* Effect.fail(refused)
    })

  const bucketsFor = (caller: Caller, { heavy, perKey }: Rule): Buckets => [
    buckets.standard(config, caller.standardPerMinute),
    ...(heavy ? [buckets.heavy(config, caller.heavyPerMinute)] : []),
    // Of the account as well, so that all are asked at once; the part tells the keys apart.
    ...(perKey === undefined ? [] : [{ ...perKey, part: caller.lineage }]),
  ]

  const judge = (request: Asked, rule: Rule, verdict: Verdict): Effect.Effect<Caller, Refused> => {
    if (verdict._tag === "Unknown") return turnAway(request, rule, refusals.unknownKey())
    if (verdict._tag === "Inactive") return turnAway(request, rule, refusals.inactiveKey())
    const { caller } = verdict
    return isAtLeast(caller.plan, rule.least)
      ? Effect.succeed(caller)
      : Effect.fail(refusals.planTooLow(caller.plan, rule))
  }

  const identify = (request: Asked, rule: Rule) =>
    Effect.suspend(() => {
      const given = givenKey(request)
      if (given._tag === "None") return turnAway(request, rule, refusals.missingKey())
      if (given._tag === "Several") return turnAway(request, rule, refusals.severalKeys())
      const known = authenticator.cached(given.key)
      if (known !== undefined) return judge(request, rule, known)
      return authenticator.identify(given.key).pipe(
        Effect.mapError(refusals.storeAway),
        Effect.flatMap((verdict) => judge(request, rule, verdict)),
      )
    })

  const outcomeOf = (caller: Caller, family: string, { admitted, standing }: Admission): Pass | Refused => {
    if (!admitted) return refusals.overLimit(standing, nowMillis())
    meter.count({ account: caller.account, key: caller.key, family })
    return { caller, standing }
  }

  const admit = (caller: Caller, rule: Rule, family: string) =>
    Effect.flatMap(
      take(rule, buckets.accountOwner(caller.account), bucketsFor(caller, rule)),
      (admission): Effect.Effect<Pass, Refused> => {
        const outcome = outcomeOf(caller, family, admission)
        return isHttpServerResponse(outcome) ? Effect.fail(outcome) : Effect.succeed(outcome)
      },
    )

  return Gatekeeper.of({
    identify,
    admit,
    guard,
    addressOf,
    checkKnown: (request, rule, family, tell) => {
      const given = givenKey(request)
      const verdict = given._tag === "One" ? authenticator.cached(given.key) : undefined
      if (verdict?._tag !== "Known" || !isAtLeast(verdict.caller.plan, rule.least) || rule.needsRedis) return false
      const { caller } = verdict
      limiter.tellOrLocal(buckets.accountOwner(caller.account), bucketsFor(caller, rule), (admission) =>
        tell(outcomeOf(caller, family, admission)),
      )
      return true
    },
  })
})
