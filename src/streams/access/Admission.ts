import { Clock, Context, Effect, Layer, Random, type Redacted } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { givenKeyIn } from "#src/keys/givenKey.ts"
import * as keyRefusals from "#src/keys/refusals.ts"
import type { Verdict } from "#src/keys/verdicts.ts"
import * as buckets from "#src/limits/buckets.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeAskingAddress } from "#src/platform/http/askingAddress.ts"
import { clean, type RefusedAnswer } from "#src/platform/http/errorBody.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { wsAcceptRate } from "../settings.ts"
import { accessMetrics } from "./metrics.ts"
import * as refusals from "./refusals.ts"
import { Sessions } from "./Sessions.ts"
import { TokenBucket } from "./TokenBucket.ts"
import { readUpgradeQuery, type UpgradeQuery } from "./upgradeQuery.ts"

/** Refusals of keys are answered no sooner than this, so that how long the look-up took cannot be told from outside. */
const leastRefusalMillis = 20

/** How much later those who came all at once are to come again, each at another time. */
const comeAgain = { least: 500, most: 3500 }

/** As much of an upgrade as says who is asking. */
export interface Knock {
  /** What stands behind the question mark, as it came. */
  readonly query: string
  /** Names in lower case; what is there twice is given twice. */
  readonly headers: ReadonlyArray<readonly [string, string]>
  /** The other end of the socket. */
  readonly peer: string | undefined
}

/** Somebody who may connect. */
export interface Guest extends Pick<UpgradeQuery, "isDeflated" | "last"> {
  readonly caller: Caller
  readonly key: Redacted.Redacted<string>
}

/** Decides who may connect, in the words of REST. */
export class Doorkeeper extends Context.Service<
  Doorkeeper,
  { readonly admit: (knock: Knock) => Effect.Effect<Guest, RefusedAnswer> }
>()("presage/streams/access/Doorkeeper") {
  static readonly layer = Layer.effect(
    Doorkeeper,
    Effect.suspend(() => make),
  )
}

/** As Node joins them. */
const forwardedFor = (headers: Knock["headers"]): string | undefined => {
  const hops = headers.filter(([name]) => name === "x-forwarded-for").map(([, value]) => value)
  return hops.length === 0 ? undefined : hops.join(", ")
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const authenticator = yield* Authenticator
  const limiter = yield* Limiter
  const sessions = yield* Sessions
  const { pepper } = yield* Secrets
  const clock = yield* Clock.Clock
  const addressOf = yield* makeAskingAddress
  const metrics = accessMetrics(yield* Effect.context<never>())

  const now = () => clock.currentTimeMillisUnsafe()
  const pace = () => ({ perSecond: config.get(wsAcceptRate), burst: config.get(wsAcceptRate) })
  const door = new TokenBucket(pace(), now())

  const refuse = (reason: string, answer: RefusedAnswer): Effect.Effect<never, RefusedAnswer> =>
    Effect.suspend(() => {
      metrics.refused(reason)
      return Effect.fail({ ...answer, body: clean(answer.body) })
    })

  /** Whoever brings no good key is counted by address. */
  const turnAway = Effect.fnUntraced(function* (knock: Knock, since: number, reason: string, answer: RefusedAnswer) {
    const owner = buckets.addressOwner(pepper, addressOf(knock.peer, forwardedFor(knock.headers)))
    const { admitted, standing } = yield* limiter.takeOrLocal(owner, [buckets.addressGuard(config)])
    if (!admitted) return yield* refuse("address", keyRefusals.tooManyStrangers(standing, now()))
    const spent = performance.now() - since
    if (spent < leastRefusalMillis) yield* Effect.sleep(leastRefusalMillis - spent)
    return yield* refuse(reason, answer)
  })

  const identify = (key: Redacted.Redacted<string>): Effect.Effect<Verdict, RefusedAnswer> => {
    const known = authenticator.cached(key)
    return known === undefined
      ? Effect.catch(authenticator.identify(key), () => refuse("store_away", keyRefusals.storeAway()))
      : Effect.succeed(known)
  }

  const tellToComeAgain = Effect.flatMap(Random.nextIntBetween(comeAgain.least, comeAgain.most), (millis) =>
    refuse("accept_rate", refusals.tooManyAtOnce(millis)),
  )

  const withTimeLeft = ({ account, plan }: Caller): Effect.Effect<void, RefusedAnswer> => {
    const seconds = allowances[plan].sessionSecondsPerDay
    if (seconds === null) return Effect.void
    return Effect.asVoid(
      Effect.catch(sessions.left(account, seconds), ({ resetAtMillis }) =>
        refuse("session_over", refusals.sessionOver(seconds, resetAtMillis, now())),
      ),
    )
  }

  /** Before anybody is asked about the key, and given back if it is not good: strangers take no place from others. */
  const throughTheDoor = Effect.fnUntraced(function* (knock: Knock, since: number, key: Redacted.Redacted<string>) {
    if (!door.take(pace(), now())) return yield* tellToComeAgain
    const verdict = yield* Effect.onError(identify(key), () => Effect.sync(() => door.giveBack()))
    if (verdict._tag === "Known") return verdict.caller
    door.giveBack()
    return yield* verdict._tag === "Unknown"
      ? turnAway(knock, since, "unknown_key", keyRefusals.unknownKey())
      : turnAway(knock, since, "inactive_key", keyRefusals.inactiveKey())
  })

  const admit = Effect.fnUntraced(function* (knock: Knock) {
    const since = performance.now()
    const query = readUpgradeQuery(knock.query)
    if ("error" in query) return yield* refuse("bad_request", keyRefusals.answerOf(400, query))
    const given = givenKeyIn(knock.headers, query.keys)
    if (given._tag === "None") return yield* turnAway(knock, since, "missing_key", keyRefusals.missingKey())
    if (given._tag === "Several") return yield* turnAway(knock, since, "several_keys", keyRefusals.severalKeys())
    const caller = yield* throughTheDoor(knock, since, given.key)
    yield* withTimeLeft(caller)
    return { caller, key: given.key, isDeflated: query.isDeflated, last: query.last }
  })

  return Doorkeeper.of({ admit })
})
