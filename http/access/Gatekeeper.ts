import { Clock, Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import { isAtLeast } from "#src/domain/Plan.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { digestOfAddress } from "#src/keys/digest.ts"
import type { Caller } from "#src/keys/model.ts"
import { Secrets } from "#src/keys/Secrets.ts"
import type { Verdict } from "#src/keys/verdicts.ts"
import * as buckets from "#src/limits/buckets.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import type { Admission, Bucket, LimiterAway, Standing } from "#src/limits/model.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { httpTrustedProxies } from "#src/platform/settings.ts"
import { Meter } from "#src/usage/Meter.ts"
import { clientAddress, trustedProxies } from "../server/clientAddress.ts"
import { Incoming } from "../server/Exchange.ts"
import { type Given, givenKey } from "./givenKey.ts"
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
    readonly check: (request: HttpServerRequest, rule: Rule, family: string) => Effect.Effect<Pass, Refused>
    /** Counts a request that brings no good key against its address; fails with the refusal when there were too many. */
    readonly guard: (request: HttpServerRequest) => Effect.Effect<void, Refused>
    /** The same where nothing may be given away while Redis is away. */
    readonly guardStrictly: (request: HttpServerRequest) => Effect.Effect<void, Refused>
    readonly addressOf: (request: HttpServerRequest) => string
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
  const trusted = trustedProxies(config.get(httpTrustedProxies))

  const addressOf = ({ source, headers }: HttpServerRequest) =>
    clientAddress(
      source instanceof Incoming ? source.socket.remoteAddress : undefined,
      headers["x-forwarded-for"],
      trusted,
    )

  const guardWith =
    <E>(take: (owner: string, asked: readonly [Bucket]) => Effect.Effect<Admission, E>) =>
    (request: HttpServerRequest): Effect.Effect<void, Refused | E> => {
      const owner = buckets.addressOwner(digestOfAddress(pepper, addressOf(request)).toString("base64url"))
      return Effect.flatMap(take(owner, [buckets.addressGuard(config)]), ({ admitted, standing }) =>
        admitted ? Effect.void : Effect.fail(refusals.tooManyStrangers(standing, clock.currentTimeMillisUnsafe())),
      )
    }
  const guard = guardWith(limiter.takeOrLocal)
  const guardStrictly = guardWith((owner, asked) =>
    Effect.mapError(limiter.take(owner, asked), (_: LimiterAway) => refusals.storeAway()),
  )

  const turnAway = (request: HttpServerRequest, refused: Refused) =>
    Effect.gen(function* () {
      const { source } = request
      const spent = source instanceof Incoming ? performance.now() - source.startedAt : 0
      yield* guard(request)
      if (spent < leastRefusalMillis) yield* Effect.sleep(leastRefusalMillis - spent)
      return yield* Effect.fail(refused)
    })

  const bucketsFor = (caller: Caller, { heavy, perKey }: Rule): readonly [Bucket, ...Array<Bucket>] => [
    buckets.standard(config, caller.standardPerMinute),
    ...(heavy ? [buckets.heavy(config, caller.heavyPerMinute)] : []),
    // Of the account as well, so that all are asked at once; the name tells the keys apart.
    ...(perKey === undefined ? [] : [{ ...perKey, name: `${perKey.name}:${caller.key}` }]),
  ]

  const judge = (request: HttpServerRequest, rule: Rule, family: string, verdict: Verdict) => {
    if (verdict._tag === "Unknown") return turnAway(request, refusals.unknownKey())
    if (verdict._tag === "Inactive") return turnAway(request, refusals.inactiveKey())
    const { caller } = verdict
    if (!isAtLeast(caller.plan, rule.least)) return turnAway(request, refusals.planTooLow(caller.plan, rule))
    return Effect.flatMap(
      limiter.takeOrLocal(buckets.accountOwner(caller.account), bucketsFor(caller, rule)),
      ({ admitted, standing }): Effect.Effect<Pass, Refused> => {
        if (!admitted) return Effect.fail(refusals.overLimit(standing, clock.currentTimeMillisUnsafe()))
        meter.count({ account: caller.account, key: caller.key, family })
        return Effect.succeed({ caller, standing })
      },
    )
  }

  const withoutOne = (request: HttpServerRequest, given: Exclude<Given, { _tag: "One" }>) =>
    turnAway(request, given._tag === "None" ? refusals.missingKey() : refusals.severalKeys())

  return Gatekeeper.of({
    guard,
    guardStrictly,
    addressOf,
    check: (request, rule, family) =>
      Effect.suspend(() => {
        const given = givenKey(request)
        if (given._tag !== "One") return withoutOne(request, given)
        const known = authenticator.cached(given.key)
        if (known !== undefined) return judge(request, rule, family, known)
        return authenticator.identify(given.key).pipe(
          Effect.mapError(() => refusals.storeAway()),
          Effect.flatMap((verdict) => judge(request, rule, family, verdict)),
        )
      }),
  })
})
