import { closeSync, openSync, rmSync, statSync } from "node:fs"
import { Clock, Effect } from "effect"
import { codeOf } from "./StoreUnavailable.ts"
import { poll } from "./waiting.ts"

/** Whoever holds it does so for about a millisecond: one this old was left behind by a process that died. */
const abandonedMillis = 5_000
const patienceMillis = 15_000

const take = (path: string, now: number): true | undefined => {
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

/** Does `work`, which must not wait for anything, while no other process does any under the same lock file. */
export const withFileLock = <A>(path: string, work: () => A): Effect.Effect<A, unknown> =>
  Effect.acquireUseRelease(
    Effect.flatMap(
      poll(
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.try({ try: () => take(path, now), catch: (e) => e })),
        { forMillis: patienceMillis },
      ),
      (taken) => (taken ? Effect.void : Effect.fail(new Error(`${path} stays taken: remove it and start again`))),
    ),
    () => Effect.try({ try: work, catch: (cause) => cause }),
    () => Effect.sync(() => rmSync(path, { force: true })),
  )
