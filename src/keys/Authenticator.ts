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
import * as KeyStore from "./KeyStore.ts"
import { callerOf, KeysAway } from "./model.ts"
import { keysCache, legacyPrefix } from "./settings.ts"
import { graceMillis, makeVerdicts, type Verdict } from "./verdicts.ts"

const unknown: Verdict = { _tag: "Unknown" }
const inactive: Verdict = { _tag: "Inactive" }

/** How long a request waits for Postgres: shortly where the key was good a moment ago. */
const patience = { proven: "1 second", others: "5 seconds" } as const
const askAgainMillis = 1000
const mostUnheard = 4096

/** A read that is under way. */
interface Asked {
  readonly answer: Deferred.Deferred<Verdict, KeysAway>
  /** What changed meanwhile. */
  readonly changed: Set<string>
}

/** Whose key it is. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** What is known without asking anybody; nothing where somebody must be asked. */
    readonly cached: (raw: Redacted.Redacted<string>) => Verdict | undefined
    readonly identify: (raw: Redacted.Redacted<string>) => Effect.Effect<Verdict, KeysAway>
    /** Accounts that changed, or `everyAccount`, once what was known of them is forgotten. Word can be lost. */
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
      const verdicts = makeVerdicts()
      const asked = new Map<string, Asked>()
      const changes = yield* PubSub.sliding<string>(mostUnheard)
      let away = false

      yield* redis.subscribe(redisKeys(redis.prefix).keysChanged).pipe(
        Stream.runForEach((account) =>
          Effect.suspend(() => {
            for (const { changed } of asked.values()) changed.add(account)
            verdicts.forget(account as AccountId)
            return PubSub.publish(changes, account)
          }),
        ),
        Effect.forkScoped,
      )

      const now = () => clock.currentTimeMillisUnsafe()
      const cached = (raw: Redacted.Redacted<string>) => verdicts.find(Redacted.value(raw), now())

      const noteAway = (reason: string) =>
        Effect.suspend(() => {
          if (away) return Effect.void
          away = true
          const minutes = graceMillis / 60_000
          return Effect.logWarning(
            `${reason}; keys that were good go on being so for at most ${minutes} minutes, others are refused`,
          )
        })
      const noteBack = Effect.suspend(() => {
        if (!away) return Effect.void
        away = false
        return Effect.logInfo("keys can be checked again")
      })

      const read = Effect.fnUntraced(function* (text: string, changed: ReadonlySet<string>) {
        const found = yield* KeyStore.findByDigest(reads, digestOfKey(pepper, text)).pipe(
          retryTransient("300 millis"),
          Effect.mapError((error) => new KeysAway({ reason: describe(error) })),
        )
        const verdict: Verdict =
          found === undefined
            ? unknown
            : found.revoked || !found.account.active
              ? inactive
              : { _tag: "Known", caller: callerOf(found.key, found.account) }
        // What was read before a change that was announced meanwhile must not outlive it.
        const isStale = found === undefined ? changed.size > 0 : changed.has(found.account.id)
        if (!isStale) verdicts.keep(text, verdict, now(), Duration.toMillis(config.get(keysCache)))
        yield* noteBack
        return verdict
      })

      /** One read for all who ask for the same key; it goes on when one of them leaves. */
      const ask = (text: string) => {
        const running = asked.get(text)
        if (running !== undefined) return running.answer
        const started: Asked = { answer: Deferred.makeUnsafe(), changed: new Set() }
        asked.set(text, started)
        run(
          Effect.onExit(read(text, started.changed), (exit) => {
            asked.delete(text)
            return Deferred.done(started.answer, exit)
          }),
        )
        return started.answer
      }

      const makeDo = (text: string) => (failure: KeysAway) =>
        Effect.suspend(() => {
          run(noteAway(failure.message))
          const verdict = verdicts.prolong(text, now(), askAgainMillis)
          return verdict ? Effect.succeed(verdict) : Effect.fail(failure)
        })

      return Authenticator.of({
        cached,
        changes: Stream.fromPubSub(changes),
        identify: (raw) =>
          Effect.suspend(() => {
            const known = cached(raw)
            if (known !== undefined) return Effect.succeed(known)
            const text = Redacted.value(raw)
            if (!isPossible(text)) return Effect.succeed(unknown)
            return Deferred.await(ask(text)).pipe(
              Effect.timeoutOrElse({
                duration: verdicts.has(text) ? patience.proven : patience.others,
                orElse: () => Effect.fail(new KeysAway({ reason: "Postgres does not answer" })),
              }),
              Effect.catch(makeDo(text)),
            )
          }),
      })
    }),
  )
}
