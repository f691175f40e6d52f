import { Clock, Context, Effect, Layer, Random, type Redacted } from "effect"
import { Admission } from "#src/access/Admission.ts"
import { acceptRateExceeded, badRequest, type Refusal, sessionOver } from "#src/access/refusals.ts"
import type { Caller } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { type RefusedAnswer, redactBody } from "#src/platform/http/errorBody.ts"
import { wsAcceptRate } from "../settings.ts"
import { accessMetrics } from "./metrics.ts"
import { SessionQuota } from "./SessionQuota.ts"
import { TokenBucket } from "./TokenBucket.ts"
import { readUpgradeQuery, type UpgradeQuery } from "./upgradeQuery.ts"

/** Range of the random reconnect delays for clients over the accept rate. */
const reconnectMillis = { min: 500, max: 3500 }

/** The part of an upgrade that decides on access. */
export interface UpgradeRequest {
  /** The raw query string, without the question mark. */
  readonly query: string
  /** Names in lower case; a repeated header is listed once per occurrence. */
  readonly headers: ReadonlyArray<readonly [string, string]>
  /** Address of the other end of the socket. */
  readonly peer: string | undefined
}

/** A client that may connect. */
export interface Client extends Pick<UpgradeQuery, "isDeflated" | "last"> {
  readonly caller: Caller
  readonly key: Redacted.Redacted<string>
}

/** Admits WebSocket clients with the same keys and refusals as REST, plus the accept rate and the daily session time. */
export class StreamAdmission extends Context.Service<
  StreamAdmission,
  { readonly admit: (request: UpgradeRequest) => Effect.Effect<Client, RefusedAnswer> }
>()("presage/streams/access/StreamAdmission") {
  static readonly layer = Layer.effect(
    StreamAdmission,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const admission = yield* Admission
  const sessionQuota = yield* SessionQuota
  const clock = yield* Clock.Clock
  const metrics = accessMetrics(yield* Effect.context<never>())

  const now = () => clock.currentTimeMillisUnsafe()
  const pace = () => ({ perSecond: config.get(wsAcceptRate), burst: config.get(wsAcceptRate) })
  const acceptRate = new TokenBucket(pace(), now())

  const refuseByRate = Effect.flatMap(Random.nextIntBetween(reconnectMillis.min, reconnectMillis.max), (millis) =>
    Effect.fail(acceptRateExceeded(millis)),
  )
  /** Taken before the key is checked and returned if it is not valid, so that invalid keys use up no slots. */
  const slot = {
    acquire: Effect.suspend(
      (): Effect.Effect<void, Refusal> => (acceptRate.take(pace(), now()) ? Effect.void : refuseByRate),
    ),
    release: Effect.sync(() => acceptRate.refund()),
  }

  const checkSessionTime = ({ account, plan }: Caller): Effect.Effect<void, Refusal> => {
    const seconds = allowances[plan].sessionSecondsPerDay
    if (seconds === null) return Effect.void
    return Effect.asVoid(
      Effect.mapError(sessionQuota.remaining(account, seconds), ({ resetAtMillis }) =>
        sessionOver(seconds, resetAtMillis, now()),
      ),
    )
  }

  const check = Effect.fnUntraced(function* ({ query: text, headers, peer }: UpgradeRequest) {
    const startedAt = performance.now()
    const query = readUpgradeQuery(text)
    if ("error" in query) return yield* Effect.fail(badRequest(query))
    const request = { rawHeaders: headers.flat(), queryKeys: query.keys, peer, startedAt }
    const { caller, key } = yield* admission.authenticate(request, slot)
    yield* checkSessionTime(caller)
    return { caller, key, isDeflated: query.isDeflated, last: query.last }
  })

  return StreamAdmission.of({
    admit: (request) =>
      Effect.mapError(check(request), ({ reason, status, body, headers }) => {
        metrics.refused(reason)
        return { status, body: redactBody(body), headers }
      }),
  })
})
