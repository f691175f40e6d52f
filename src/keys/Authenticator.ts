import { Clock, Context, Deferred, Duration, Effect, FiberSet, Layer, PubSub, Redacted, Stream } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { keys as redisKeys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { digestOfKey } from "#src/secrets/digest.ts"
import { isLegacy, isWellFormed } from "#src/secrets/keyFormat.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { type AuthResult, graceMillis, makeAuthCache } from "./AuthCache.ts"
import * as KeyStore from "./KeyStore.ts"
import { callerOf, KeysUnavailable } from "./model.ts"
import { keysCache, legacyPrefix } from "./settings.ts"

const unknown: AuthResult = { _tag: "Unknown" }
const inactive: AuthResult = { _tag: "Inactive" }

/** How long a request waits for Postgres: briefly if the key was valid a moment ago. */
const timeouts = { recentlyValid: "1 second", others: "5 seconds" } as const
const retryMillis = 1000
const changesCapacity = 4096

interface PendingRead {
  readonly result: Deferred.Deferred<AuthResult, KeysUnavailable>
  /** Accounts that changed since the read started. */
  readonly changed: Set<string>
}

/** Authenticates API keys. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** The cached result; undefined when the store has to be read. */
    readonly cached: (raw: Redacted.Redacted<string>) => AuthResult | undefined
    readonly authenticate: (raw: Redacted.Redacted<string>) => Effect.Effect<AuthResult, KeysUnavailable>
    /** Accounts that changed, or `everyAccount`, after their cache entries are dropped. Messages can be lost. */
    readonly changes: Stream.Stream<string>
  }
>()("presage/keys/Authenticator") {
  static readonly layer = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { reads } = yield* Postgres
      const redis = yield* Redis
      const { pepper } = yield* Secrets
      const clock = yield* Clock.Clock
      const run = yield* FiberSet.makeRuntime<never>()

      const isPossible = (text: string) => isWellFormed(text) || isLegacy(text, config.get(legacyPrefix))
      const cache = makeAuthCache()
      const pending = new Map<string, PendingRead>()
      const changes = yield* PubSub.sliding<string>(changesCapacity)
      let isUnavailable = false

      yield* redis.subscribe(redisKeys(redis.prefix).keysChanged).pipe(
        Stream.runForEach((account) =>
          Effect.suspend(() => {
            for (const { changed } of pending.values()) changed.add(account)
            cache.invalidate(account as AccountId)
            return PubSub.publish(changes, account)
          }),
        ),
        Effect.forkScoped,
      )

      const now = () => clock.currentTimeMillisUnsafe()
      const cached = (raw: Redacted.Redacted<string>) => cache.get(Redacted.value(raw), now())

      const logUnavailable = (reason: string) =>
        Effect.suspend(() => {
          if (isUnavailable) return Effect.void
          isUnavailable = true
          const minutes = graceMillis / 60_000
          return Effect.logWarning(
            `${reason}; recently valid keys stay valid for at most ${minutes} minutes, others are refused`,
          )
        })
      const logAvailable = Effect.suspend(() => {
        if (!isUnavailable) return Effect.void
        isUnavailable = false
        return Effect.logInfo("keys can be checked again")
      })

      const read = Effect.fnUntraced(function* (text: string, changed: ReadonlySet<string>) {
        const found = yield* KeyStore.findByDigest(reads, digestOfKey(pepper, text)).pipe(
          retryTransient("300 millis"),
          Effect.mapError((error) => new KeysUnavailable({ reason: describe(error) })),
        )
        const result: AuthResult =
          found === undefined
            ? unknown
            : found.revoked || !found.account.active
              ? inactive
              : { _tag: "Known", caller: callerOf(found.key, found.account) }
        // A result read before a change was announced must not be cached.
        const isStale = found === undefined ? changed.size > 0 : changed.has(found.account.id)
        if (!isStale) cache.set(text, result, now(), Duration.toMillis(config.get(keysCache)))
        yield* logAvailable
        return result
      })

      /** One read for all callers with the same key. It continues when a caller disconnects. */
      const readOnce = (text: string) => {
        const running = pending.get(text)
        if (running !== undefined) return running.result
        const started: PendingRead = { result: Deferred.makeUnsafe(), changed: new Set() }
        pending.set(text, started)
        run(
          Effect.onExit(read(text, started.changed), (exit) => {
            pending.delete(text)
            return Deferred.done(started.result, exit)
          }),
        )
        return started.result
      }

      const fallBack = (text: string) => (failure: KeysUnavailable) =>
        Effect.suspend(() => {
          run(logUnavailable(failure.message))
          const result = cache.extend(text, now(), retryMillis)
          return result ? Effect.succeed(result) : Effect.fail(failure)
        })

      return Authenticator.of({
        cached,
        changes: Stream.fromPubSub(changes),
        authenticate: (raw) =>
          Effect.suspend(() => {
            const known = cached(raw)
            if (known !== undefined) return Effect.succeed(known)
            const text = Redacted.value(raw)
            if (!isPossible(text)) return Effect.succeed(unknown)
            return Deferred.await(readOnce(text)).pipe(
              Effect.timeoutOrElse({
                duration: cache.has(text) ? timeouts.recentlyValid : timeouts.others,
                orElse: () => Effect.fail(new KeysUnavailable({ reason: "Postgres does not answer" })),
              }),
              Effect.catch(fallBack(text)),
            )
          }),
      })
    }),
  )
}
