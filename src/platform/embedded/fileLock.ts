import { closeSync, openSync, rmSync, statSync } from "node:fs"
import { Clock, Effect } from "effect"
import { codeOf } from "./StoreUnavailable.ts"
import { poll } from "./waiting.ts"

/** A holder needs about a millisecond: a lock this old was left by a process that died. */
const abandonedMillis = 5_000
const timeoutMillis = 15_000

const tryAcquire = (path: string, now: number): true | undefined => {
  try {
    closeSync(openSync(path, "wx", 0o600))
    return true
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (Math.abs(now - since) > abandonedMillis) rmSync(path, { force: true })
    return undefined
  }
}

/** Runs the synchronous `work` while no other process holds the same lock file. */
export const withFileLock = <A>(path: string, work: () => A): Effect.Effect<A, unknown> =>
  Effect.acquireUseRelease(
    Effect.flatMap(
      poll(
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.try({ try: () => tryAcquire(path, now), catch: (e) => e }),
        ),
        { forMillis: timeoutMillis },
      ),
      (acquired) =>
        acquired ? Effect.void : Effect.fail(new Error(`${path} stays locked: remove it and start again`)),
    ),
    () => Effect.try({ try: work, catch: (cause) => cause }),
    () => Effect.sync(() => rmSync(path, { force: true })),
  )
