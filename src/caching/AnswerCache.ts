import { type Cause, Clock, Context, Deferred, Effect, FiberSet, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Answer } from "./Answer.ts"
import { Failures } from "./Failures.ts"
import { Memory } from "./Memory.ts"
import { cacheMetrics } from "./metrics.ts"
import type { Cached, Entry, LoadTooSlow } from "./model.ts"
import { makeSharedAnswers } from "./SharedAnswers.ts"
import { cachingMemory, cachingShared } from "./settings.ts"
import { type Landed, makeFlight } from "./singleFlight.ts"

/** Who has something older to show waits this long for something newer. */
const patienceMillis = 500

/** A load that is under way, for all who ask meanwhile. */
interface Flight {
  readonly since: number
  readonly landed: Deferred.Deferred<Cached, unknown>
}

/**
 * Answers that are made once and shown often: in this process from memory, between processes over Redis. While an answer
 * is fresh it is not looked at again, so what another process made is seen here when the one in memory ends at the latest.
 */
export class AnswerCache extends Context.Service<
  AnswerCache,
  {
    readonly get: <E>(entry: Entry<E>) => Effect.Effect<Cached, E | LoadTooSlow>
    /** What is fresh in memory and needs nothing done, for those who cannot wait. `id` is made by `idOf`. */
    readonly peek: (id: string) => Answer | undefined
    /** To be told of everything that was peeked at and shown. */
    readonly noteHit: (name: string, answer: Answer) => void
  }
>()("presage/caching/AnswerCache") {
  static readonly layer = Layer.effect(
    AnswerCache,
    Effect.suspend(() => make),
  )
}

export const idOf = ({ name, key }: Pick<Entry<unknown>, "name" | "key">) => `${name}:${key}`

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const clock = yield* Clock.Clock
  const shared = config.get(cachingShared) === "on" ? yield* makeSharedAnswers : undefined
  const metrics = cacheMetrics(yield* Effect.context<never>())
  const run = yield* FiberSet.makeRuntime<never>()
  const memory = new Memory(config.get(cachingMemory))
  const failures = new Failures()
  const flights = new Map<string, Flight>()
  const now = () => clock.currentTimeMillisUnsafe()
  const fly = makeFlight({ shared, memory, failures, metrics, now })

  const start = <E>(id: string, entry: Entry<E>): Flight => {
    const flight: Flight = { since: now(), landed: Deferred.makeUnsafe() }
    flights.set(id, flight)
    const land = (exit: Landed) =>
      Effect.sync(() => {
        flights.delete(id)
        metrics.memory(memory.bytes)
        Deferred.doneUnsafe(flight.landed, exit)
      })
    run(fly(id, entry, land))
    return flight
  }

  const noteHit = (name: string, answer: Answer) => {
    answer.hits += 1
    metrics.count(name, "hit")
  }

  const stale = (name: string, answer: Answer): Effect.Effect<Cached> => {
    metrics.count(name, "stale")
    return Effect.succeed({ answer, from: "stale" })
  }

  const usable = (id: string) => {
    const answer = memory.get(id)
    return answer?.isUsable(now()) ? answer : undefined
  }

  /** Shows something older when what is newer takes its time. */
  const join = (id: string, name: string, { since, landed }: Flight): Effect.Effect<Cached, unknown> => {
    const newest = Deferred.await(landed)
    return Effect.timeoutOrElse(newest, {
      duration: Math.max(0, since + patienceMillis - now()),
      orElse: () => {
        const older = usable(id)
        return older === undefined ? newest : stale(name, older)
      },
    })
  }

  return AnswerCache.of({
    get: <E>(entry: Entry<E>) =>
      Effect.suspend(() => {
        const id = idOf(entry)
        const held = memory.get(id)
        if (held?.isFresh(now())) {
          noteHit(entry.name, held)
          if (held.isDue(now()) && !flights.has(id) && failures.recent(id, now()) === undefined) start(id, entry)
          return Effect.succeed<Cached>({ answer: held, from: "cache" })
        }
        const cause = failures.recent(id, now())
        if (cause !== undefined) {
          const older = usable(id)
          if (older !== undefined) return stale(entry.name, older)
          metrics.count(entry.name, "failed")
          return Effect.failCause(cause as Cause.Cause<E>)
        }
        // The same entry fails in the same way, whoever started it.
        return join(id, entry.name, flights.get(id) ?? start(id, entry)) as Effect.Effect<Cached, E | LoadTooSlow>
      }),
    peek: (id) => {
      const held = memory.get(id)
      if (held === undefined || !held.isFresh(now())) return undefined
      if (held.isDue(now()) && !flights.has(id)) return undefined
      return held
    },
    noteHit,
  })
})
