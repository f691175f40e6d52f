import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import { isAtLeast } from "#src/domain/Plan.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"
import * as buckets from "#src/limits/buckets.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import type { Bucket, Buckets, LimitDecision, LimitStatus } from "#src/limits/model.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeClientAddressResolver } from "#src/platform/http/clientAddress.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { Meter } from "#src/usage/Meter.ts"
import { type AccessRequest, forwardedFor, givenKeyOf } from "./AccessRequest.ts"
import type { Rule } from "./Rule.ts"
import type { Refusal } from "./refusals.ts"
import * as refusals from "./refusals.ts"

/** Refused keys are answered no sooner than this, so that response times reveal nothing about the lookup. */
const minRefusalMillis = 20

export interface Authenticated {
  readonly caller: Caller
  readonly key: Redacted.Redacted<string>
}

/** A request that may be answered. */
export interface Admitted {
  readonly _tag: "Admitted"
  readonly caller: Caller
  readonly limits: LimitStatus
}

interface AuthenticateOptions {
  /** Fail while Redis is unavailable instead of counting the address in this process. */
  readonly needsRedis?: boolean
  /** Takes a slot before the key is checked. */
  readonly acquire?: Effect.Effect<void, Refusal>
  /** Returns the slot when the key turns out not to be valid. */
  readonly release?: Effect.Effect<void>
}

/**
 * Access control for both edges, in this order: one key, its validity, the plan, the limits. Callers without a valid key
 * are limited by address.
 */
export class Admission extends Context.Service<
  Admission,
  {
    /** The account and key of the request. */
    readonly authenticate: (
      request: AccessRequest,
      options?: AuthenticateOptions,
    ) => Effect.Effect<Authenticated, Refusal>
    /** Authenticates the request and checks the plan. */
    readonly identify: (request: AccessRequest, rule: Rule) => Effect.Effect<Caller, Refusal>
    /** Charges the limits, and counts an admitted request as usage of the family. */
    readonly admit: (caller: Caller, rule: Rule, family: string) => Effect.Effect<Admitted, Refusal>
    /** Checks the plan and the limit per key for a part of an admitted request that has a rule of its own. */
    readonly admitPart: (caller: Caller, rule: Rule) => Effect.Effect<void, Refusal>
    /**
     * `identify` and `admit` without Effects, for a cached key with a sufficient plan. Returns false, and charges
     * nothing, when the request has to take the regular path.
     */
    readonly checkKnown: (
      request: AccessRequest,
      rule: Rule,
      family: string,
      onResult: (result: Admitted | Refusal) => void,
    ) => boolean
    /** Counts a request without a key against its address. */
    readonly guardAddress: (request: AccessRequest, needsRedis: boolean) => Effect.Effect<void, Refusal>
    readonly addressOf: (request: AccessRequest) => string
  }
>()("presage/access/Admission") {
  static readonly layer = Layer.effect(
    Admission,
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
  const clientAddress = yield* makeClientAddressResolver

  const nowMillis = () => clock.currentTimeMillisUnsafe()
  const addressOf = (request: AccessRequest) => clientAddress(request.peer, forwardedFor(request))

  const take = (needsRedis: boolean, owner: string, wanted: Buckets): Effect.Effect<LimitDecision, Refusal> =>
    needsRedis
      ? Effect.mapError(limiter.take(owner, wanted), refusals.storeUnavailable)
      : limiter.takeOrLocal(owner, wanted)

  const guardAddress = (request: AccessRequest, needsRedis: boolean): Effect.Effect<void, Refusal> => {
    const owner = buckets.addressOwner(pepper, addressOf(request))
    return Effect.flatMap(take(needsRedis, owner, [buckets.addressGuard(config)]), ({ admitted, status }) =>
      admitted ? Effect.void : Effect.fail(refusals.addressLimitExceeded(status, nowMillis())),
    )
  }

  const refuseKey = Effect.fnUntraced(function* (request: AccessRequest, needsRedis: boolean, refusal: Refusal) {
    yield* guardAddress(request, needsRedis)
    const spent = performance.now() - request.startedAt
    if (spent < minRefusalMillis) yield* Effect.sleep(minRefusalMillis - spent)
    return yield* Effect.fail(refusal)
  })

  const authenticateKey = (key: Redacted.Redacted<string>) => {
    const cached = authenticator.cached(key)
    return cached === undefined
      ? Effect.mapError(authenticator.authenticate(key), refusals.storeUnavailable)
      : Effect.succeed(cached)
  }

  const authenticate = Effect.fnUntraced(function* (
    request: AccessRequest,
    { needsRedis = false, acquire = Effect.void, release = Effect.void }: AuthenticateOptions = {},
  ) {
    const given = givenKeyOf(request)
    if (given._tag === "None") return yield* refuseKey(request, needsRedis, refusals.missingKey())
    if (given._tag === "Several") return yield* refuseKey(request, needsRedis, refusals.severalKeys())
    yield* acquire
    const result = yield* Effect.onError(authenticateKey(given.key), () => release)
    if (result._tag === "Known") return { caller: result.caller, key: given.key }
    yield* release
    const refusal = result._tag === "Unknown" ? refusals.unknownKey() : refusals.inactiveKey()
    return yield* refuseKey(request, needsRedis, refusal)
  })

  const checkPlan = (caller: Caller, rule: Rule): Effect.Effect<Caller, Refusal> =>
    isAtLeast(caller.plan, rule.minPlan) ? Effect.succeed(caller) : Effect.fail(refusals.planTooLow(caller.plan, rule))

  /** The caller of a cached key; undefined when the key has to be authenticated. */
  const cachedCaller = (request: AccessRequest): Caller | undefined => {
    const given = givenKeyOf(request)
    const cached = given._tag === "One" ? authenticator.cached(given.key) : undefined
    return cached?._tag === "Known" ? cached.caller : undefined
  }

  const identify = (request: AccessRequest, rule: Rule) =>
    Effect.suspend(() => {
      const caller = cachedCaller(request)
      return caller === undefined
        ? Effect.flatMap(authenticate(request, rule), (authenticated) => checkPlan(authenticated.caller, rule))
        : checkPlan(caller, rule)
    })

  /** Owned by the account too, so that one call decides on all; the part tells the keys apart. */
  const bucketOfKey = ({ lineage }: Caller, perKey: Bucket): Bucket => ({ ...perKey, part: lineage })

  const bucketsFor = (caller: Caller, { heavy, perKey }: Rule): Buckets => [
    buckets.standard(config, caller.standardPerMinute),
    ...(heavy ? [buckets.heavy(config, caller.heavyPerMinute)] : []),
    ...(perKey === undefined ? [] : [bucketOfKey(caller, perKey)]),
  ]

  const resultOf = (caller: Caller, family: string, { admitted, status }: LimitDecision): Admitted | Refusal => {
    if (!admitted) return refusals.limitExceeded(status, nowMillis())
    meter.count({ account: caller.account, key: caller.key, family })
    return { _tag: "Admitted", caller, limits: status }
  }

  const admit = (caller: Caller, rule: Rule, family: string) =>
    Effect.flatMap(
      take(rule.needsRedis, buckets.accountOwner(caller.account), bucketsFor(caller, rule)),
      (decision): Effect.Effect<Admitted, Refusal> => {
        const result = resultOf(caller, family, decision)
        return result._tag === "Refusal" ? Effect.fail(result) : Effect.succeed(result)
      },
    )

  const admitPart = Effect.fnUntraced(function* (caller: Caller, rule: Rule): Effect.fn.Return<void, Refusal> {
    yield* checkPlan(caller, rule)
    if (rule.perKey === undefined) return
    const owner = buckets.accountOwner(caller.account)
    const { admitted, status } = yield* take(rule.needsRedis, owner, [bucketOfKey(caller, rule.perKey)])
    if (!admitted) return yield* Effect.fail(refusals.limitExceeded(status, nowMillis()))
  })

  return Admission.of({
    authenticate,
    identify,
    admit,
    admitPart,
    guardAddress,
    addressOf,
    checkKnown: (request, rule, family, onResult) => {
      const caller = cachedCaller(request)
      if (caller === undefined || !isAtLeast(caller.plan, rule.minPlan) || rule.needsRedis) return false
      limiter.takeOrLocalUnsafe(buckets.accountOwner(caller.account), bucketsFor(caller, rule), (decision) =>
        onResult(resultOf(caller, family, decision)),
      )
      return true
    },
  })
})
