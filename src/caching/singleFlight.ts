import { type Cause, Effect, Exit } from "effect"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Answer, type CachedAnswer, timesOf } from "./Answer.ts"
import type { Failures } from "./Failures.ts"
import type { Memory } from "./Memory.ts"
import type { CacheMetrics } from "./metrics.ts"
import { type CacheEntry, defaultBudget, type Loaded, LoadTimeout } from "./model.ts"
import type { SharedAnswers } from "./SharedAnswers.ts"

/** How often to check for another process's answer, and how many times before loading it here. */
const pollEvery = "40 millis"
const maxPolls = 25

/** An answer loaded across the end of its window is loaded again, at most this often. */
const maxAttempts = 2

interface FlightOptions {
  /** The answers of all processes; undefined if nothing is shared. */
  readonly shared: SharedAnswers | undefined
  readonly memory: Memory
  readonly failures: Failures
  readonly metrics: CacheMetrics
  readonly now: () => number
}

export type LoadResult = Exit.Exit<CachedAnswer, unknown>

const budgetOf = <E>({ budget = defaultBudget }: CacheEntry<E>) => budget

const isOutage = <E>({ isOutage }: CacheEntry<E>, cause: Cause.Cause<E | LoadTimeout>) =>
  isOutage === undefined ||
  !cause.reasons.some(
    (reason) => reason._tag === "Fail" && !(reason.error instanceof LoadTimeout) && !isOutage(reason.error),
  )

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Gets a newer answer: from another process that has it or is loading it, or by a load. */
export const makeSingleFlight = ({ shared: others, memory, failures, metrics, now }: FlightOptions) => {
  const sharedOf = <E>({ isLocal = false }: CacheEntry<E>) => (isLocal ? undefined : others)

  /** The answer of another process. While one holds the lease, waits for its answer, its failure or the last poll. */
  const fromOthers = Effect.fnUntraced(function* <E>(id: string, entry: CacheEntry<E>) {
    const { name, key } = entry
    const shared = sharedOf(entry)
    const heldSince = memory.get(id)?.times.storedAt ?? 0
    for (let poll = 0; shared !== undefined && poll < maxPolls; poll++) {
      if (poll > 0) yield* Effect.sleep(pollEvery)
      const found = yield* shared.take(name, key, budgetOf(entry))
      if (found === undefined) return undefined
      const { stored, hasLease } = found
      if (stored !== undefined && stored.times.storedAt > heldSince && stored.isUsable(now())) {
        memory.put(id, stored)
        if (stored.isFresh(now())) {
          if (hasLease) yield* shared.release(name, key)
          return stored
        }
      }
      if (hasLease) return undefined
    }
    return undefined
  })

  const load = Effect.fnUntraced(function* <E>(entry: CacheEntry<E>) {
    for (let attempt = 1; ; attempt++) {
      const startedAt = now()
      const budget = budgetOf(entry)
      const loaded: Loaded = yield* abandonAfter(
        entry.load,
        budget,
        () => new LoadTimeout({ answer: entry.name, budget }),
      )
      const times = timesOf(entry, startedAt, now(), loaded)
      const isBounded = (entry.until ?? loaded.until) !== undefined
      if (isBounded && times.freshUntil <= now() && attempt < maxAttempts) continue
      const served = new Answer(bytesOf(loaded.value), times)
      const cached = loaded.whenCached === undefined ? served : new Answer(bytesOf(loaded.whenCached), times)
      return { served, cached }
    }
  })

  const failed = Effect.fnUntraced(function* <E>(
    id: string,
    entry: CacheEntry<E>,
    cause: Cause.Cause<E | LoadTimeout>,
  ) {
    if (!isOutage(entry, cause)) {
      memory.remove(id)
      return Exit.failCause(cause)
    }
    const isFirst = failures.record(id, cause, now())
    const older = memory.get(id)
    const isServed = older?.isUsable(now()) === true
    if (isFirst) {
      const fallback = isServed ? "serving an older one" : "there is no older one"
      yield* Effect.annotateLogs(Effect.logWarning(`failed to load an answer, ${fallback}`, cause), { answer: id })
    }
    metrics.count(entry.name, isServed ? "stale" : "failed")
    return isServed ? Exit.succeed<CachedAnswer>({ answer: older, from: "stale" }) : Exit.failCause(cause)
  })

  /** Calls `complete` before sharing the answer, because no caller has to wait for that. */
  return Effect.fnUntraced(function* <E>(
    id: string,
    entry: CacheEntry<E>,
    complete: (result: LoadResult) => Effect.Effect<void>,
  ) {
    const { name, key } = entry
    const shared = sharedOf(entry)
    const theirs = yield* fromOthers(id, entry)
    if (theirs !== undefined) {
      metrics.count(name, "shared")
      return yield* complete(Exit.succeed({ answer: theirs, from: "cache" }))
    }
    const exit = yield* Effect.exit(load(entry))
    if (Exit.isFailure(exit)) {
      yield* complete(yield* failed(id, entry, exit.cause))
      if (shared !== undefined) yield* shared.release(name, key)
      return
    }
    const { served, cached } = exit.value
    failures.clear(id)
    memory.put(id, cached)
    metrics.count(name, "load")
    yield* complete(Exit.succeed({ answer: served, from: "load" }))
    if (shared !== undefined) yield* shared.publish(name, key, cached, now())
  })
}
