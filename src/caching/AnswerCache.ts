import { type Cause, Clock, Context, Deferred, Effect, FiberSet, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Answer, CachedAnswer } from "./Answer.ts"
import { Failures } from "./Failures.ts"
import { Memory } from "./Memory.ts"
import { cacheMetrics } from "./metrics.ts"
import type { CacheEntry, LoadTimeout } from "./model.ts"
import { makeSharedAnswers } from "./SharedAnswers.ts"
import { cachingMemory, cachingShared } from "./settings.ts"
import { type LoadResult, makeSingleFlight } from "./singleFlight.ts"

/** A request with an older answer waits this long for a newer one. */
const staleAfterMillis = 500

/** A load in progress, shared by all requests for it. */
interface PendingLoad {
  readonly since: number
  readonly result: Deferred.Deferred<CachedAnswer, unknown>
}

/**
 * Answers that are loaded once and served often, from the memory of this process and shared over Redis. A fresh answer in
 * memory is not checked again, so another process's newer answer is seen here when this one expires at the latest.
 */
export class AnswerCache extends Context.Service<
  AnswerCache,
  {
    readonly get: <E>(entry: CacheEntry<E>) => Effect.Effect<CachedAnswer, E | LoadTimeout>
    /** A fresh answer in memory that needs no refresh. `id` is made by `idOf`. */
    readonly peek: (id: string) => Answer | undefined
    /** Counts a peeked answer that was served. */
    readonly noteHit: (name: string, answer: Answer) => void
  }
>()("presage/caching/AnswerCache") {
  static readonly layer = Layer.effect(
    AnswerCache,
    Effect.suspend(() => make),
  )
}

export const idOf = ({ name, key }: Pick<CacheEntry<unknown>, "name" | "key">) => `${name}:${key}`

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const clock = yield* Clock.Clock
  const shared = config.get(cachingShared) === "on" ? yield* makeSharedAnswers : undefined
  const metrics = cacheMetrics(yield* Effect.context<never>())
  const run = yield* FiberSet.makeRuntime<never>()
  const memory = new Memory(config.get(cachingMemory))
  const failures = new Failures()
  const pending = new Map<string, PendingLoad>()
  const now = () => clock.currentTimeMillisUnsafe()
  const singleFlight = makeSingleFlight({ shared, memory, failures, metrics, now })

  const start = <E>(id: string, entry: CacheEntry<E>): PendingLoad => {
    const load: PendingLoad = { since: now(), result: Deferred.makeUnsafe() }
    pending.set(id, load)
    const complete = (exit: LoadResult) =>
      Effect.sync(() => {
        pending.delete(id)
        metrics.memory(memory.bytes)
        Deferred.doneUnsafe(load.result, exit)
      })
    run(singleFlight(id, entry, complete))
    return load
  }

  const noteHit = (name: string, answer: Answer) => {
    answer.hits += 1
    metrics.count(name, "hit")
  }

  const stale = (name: string, answer: Answer): Effect.Effect<CachedAnswer> => {
    metrics.count(name, "stale")
    return Effect.succeed({ answer, from: "stale" })
  }

  const usable = (id: string) => {
    const answer = memory.get(id)
    return answer?.isUsable(now()) ? answer : undefined
  }

  /** Waits for the load, but serves an older answer if it takes long. */
  const join = (id: string, name: string, { since, result }: PendingLoad): Effect.Effect<CachedAnswer, unknown> => {
    const newest = Deferred.await(result)
    return Effect.timeoutOrElse(newest, {
      duration: Math.max(0, since + staleAfterMillis - now()),
      orElse: () => {
        const older = usable(id)
        return older === undefined ? newest : stale(name, older)
      },
    })
  }

  return AnswerCache.of({
    get: <E>(entry: CacheEntry<E>) =>
      Effect.suspend(() => {
        const id = idOf(entry)
        const held = memory.get(id)
        if (held?.isFresh(now())) {
          noteHit(entry.name, held)
          if (held.isDue(now()) && !pending.has(id) && failures.recent(id, now()) === undefined) start(id, entry)
          return Effect.succeed<CachedAnswer>({ answer: held, from: "cache" })
        }
        const cause = failures.recent(id, now())
        if (cause !== undefined) {
          const older = usable(id)
          if (older !== undefined) return stale(entry.name, older)
          metrics.count(entry.name, "failed")
          return Effect.failCause(cause as Cause.Cause<E>)
        }
        // The same entry fails in the same way, whichever request started it.
        return join(id, entry.name, pending.get(id) ?? start(id, entry)) as Effect.Effect<CachedAnswer, E | LoadTimeout>
      }),
    peek: (id) => {
      const held = memory.get(id)
      if (held === undefined || !held.isFresh(now())) return undefined
      if (held.isDue(now()) && !pending.has(id)) return undefined
      return held
    },
    noteHit,
  })
})
