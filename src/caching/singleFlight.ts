import { type Cause, Effect, Exit } from "effect"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Answer, timesOf } from "./Answer.ts"
import type { Failures } from "./Failures.ts"
import type { Memory } from "./Memory.ts"
import type { CacheMetrics } from "./metrics.ts"
import { type Cached, defaultBudget, type Entry, type Loaded, LoadTooSlow } from "./model.ts"
import type { SharedAnswers } from "./SharedAnswers.ts"

/** How often to look whether another process is done, and how many times before doing the work oneself. */
const lookEvery = "40 millis"
const mostLooks = 25

/** An answer that was made across the end of its window is made again; a load slower than its windows ends here. */
const mostTries = 2

interface Means {
  readonly shared: SharedAnswers | undefined
  readonly memory: Memory
  readonly failures: Failures
  readonly metrics: CacheMetrics
  readonly now: () => number
}

export type Landed = Exit.Exit<Cached, unknown>

const budgetOf = <E>({ budget = defaultBudget }: Entry<E>) => budget

const isOutage = <E>({ isOutage }: Entry<E>, cause: Cause.Cause<E | LoadTooSlow>) =>
  isOutage === undefined ||
  !cause.reasons.some(
    (reason) => reason._tag === "Fail" && !(reason.error instanceof LoadTooSlow) && !isOutage(reason.error),
  )

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

/** The way to a newer answer: from another process that has it or makes it, or by a load. */
export const makeFlight = ({ shared, memory, failures, metrics, now }: Means) => {
  /** What another process made. Waits while one is at work: for its answer, for its failure, or until that takes too long. */
  const fromOthers = Effect.fnUntraced(function* <E>(id: string, entry: Entry<E>) {
    const { name, key } = entry
    const heldSince = memory.get(id)?.times.storedAt ?? 0
    for (let look = 0; shared !== undefined && look < mostLooks; look++) {
      if (look > 0) yield* Effect.sleep(lookEvery)
      const found = yield* shared.take(name, key, budgetOf(entry))
      if (found === undefined) return undefined
      const { stored, isOurs } = found
      if (stored !== undefined && stored.times.storedAt > heldSince && stored.isUsable(now())) {
        memory.put(id, stored)
        if (stored.isFresh(now())) {
          if (isOurs) yield* shared.release(name, key)
          return stored
        }
      }
      if (isOurs) return undefined
    }
    return undefined
  })

  const load = Effect.fnUntraced(function* <E>(entry: Entry<E>) {
    for (let tries = 1; ; tries++) {
      const startedAt = now()
      const budget = budgetOf(entry)
      const loaded: Loaded = yield* abandonAfter(
        entry.load,
        budget,
        () => new LoadTooSlow({ answer: entry.name, budget }),
      )
      const times = timesOf(entry, startedAt, now(), loaded)
      const isBounded = (entry.until ?? loaded.until) !== undefined
      if (isBounded && times.freshUntil <= now() && tries < mostTries) continue
      const shown = new Answer(bytesOf(loaded.value), times)
      const kept = loaded.whenCached === undefined ? shown : new Answer(bytesOf(loaded.whenCached), times)
      return { shown, kept }
    }
  })

  const failed = Effect.fnUntraced(function* <E>(id: string, entry: Entry<E>, cause: Cause.Cause<E | LoadTooSlow>) {
    if (!isOutage(entry, cause)) {
      memory.remove(id)
      return Exit.failCause(cause)
    }
    const isFirst = failures.note(id, cause, now())
    const older = memory.get(id)
    const isShown = older?.isUsable(now()) === true
    if (isFirst) {
      const what = isShown ? "an older one is shown" : "there is no older one"
      yield* Effect.annotateLogs(Effect.logWarning(`an answer could not be made, ${what}`, cause), { answer: id })
    }
    metrics.count(entry.name, isShown ? "stale" : "failed")
    return isShown ? Exit.succeed<Cached>({ answer: older, from: "stale" }) : Exit.failCause(cause)
  })

  /** Tells `land` how it went before the others are told, as nobody has to wait for that. */
  return Effect.fnUntraced(function* <E>(id: string, entry: Entry<E>, land: (landed: Landed) => Effect.Effect<void>) {
    const { name, key } = entry
    const theirs = yield* fromOthers(id, entry)
    if (theirs !== undefined) {
      metrics.count(name, "shared")
      return yield* land(Exit.succeed({ answer: theirs, from: "cache" }))
    }
    const exit = yield* Effect.exit(load(entry))
    if (Exit.isFailure(exit)) {
      yield* land(yield* failed(id, entry, exit.cause))
      if (shared !== undefined) yield* shared.release(name, key)
      return
    }
    const { shown, kept } = exit.value
    failures.forget(id)
    memory.put(id, kept)
    metrics.count(name, "load")
    yield* land(Exit.succeed({ answer: shown, from: "load" }))
    if (shared !== undefined) yield* shared.publish(name, key, kept, now())
  })
}
