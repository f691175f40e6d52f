import { Effect, Option, Redacted } from "effect"
import type { StoreUnavailable } from "#src/platform/embedded/StoreUnavailable.ts"
import { type Finding, fail, ok } from "./Finding.ts"

/** An answer later than this is no answer. */
export const patienceMillis = 4000
export const tooLate = `no answer within ${patienceMillis / 1000} s`

/** Where a store is, without its password. */
export const hostAndPort = (url: Redacted.Redacted<string>, usualPort: number) => {
  const { hostname, port } = new URL(Redacted.value(url))
  return `${hostname || "localhost"}:${port || usualPort}`
}

export interface StoreCheck<R> {
  readonly check: "postgres" | "redis"
  readonly variable: string
  readonly given: Option.Option<Redacted.Redacted<string>>
  readonly running: Effect.Effect<Option.Option<Redacted.Redacted<string>>, StoreUnavailable>
  readonly isInstalled: Effect.Effect<unknown, StoreUnavailable>
  /** Connects once; what it fails with is the reason, in words. */
  readonly look: (url: Redacted.Redacted<string>) => Effect.Effect<Finding, string, R>
  readonly usualPort: number
}

/** A store that is given or runs must answer; one that is to be started must be installed. */
export const storeFinding = Effect.fnUntraced(function* <R>(store: StoreCheck<R>): Effect.fn.Return<Finding, never, R> {
  const { check, variable, given } = store
  const reached = (url: Redacted.Redacted<string>, advice: string) =>
    Effect.catch(store.look(url), (reason) =>
      Effect.succeed(fail(check, `${hostAndPort(url, store.usualPort)}: ${reason}`, advice)),
    )
  if (Option.isSome(given)) return yield* reached(given.value, `check that it runs and that ${variable} is right`)
  return yield* Effect.gen(function* () {
    const running = yield* store.running
    if (Option.isSome(running)) return yield* reached(running.value, "restart the running instance, which runs it")
    yield* store.isInstalled
    return ok(check, "embedded, not running; start brings it up")
  }).pipe(Effect.catch((error) => Effect.succeed(fail(check, error.message))))
})
