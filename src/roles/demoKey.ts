import { Effect, Option, Redacted } from "effect"
import { Keys } from "#src/keys/Keys.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Stores } from "./Foundation.ts"

/**
 * Shows the person at the terminal a key for the instance that was set up for them. Not through the logger: logs are
 * kept and sent elsewhere.
 */
export const showDemoKey = Effect.gen(function* () {
  const { embedded } = yield* Stores
  if (!embedded.includes("postgres")) return
  const demo = yield* (yield* Keys).ensureDemo
  if (Option.isNone(demo)) {
    process.stdout.write("the key to try it was revoked: npm run -s presage -- keys create makes another\n")
    return
  }
  const key = Redacted.value(demo.value)
  const address = new Map((yield* Addresses).list()).get("api")
  process.stdout.write(`a key to try it (growth plan): ${key}\n  curl -H 'x-api-key: ${key}' ${address}/v1/status\n`)
}).pipe(Effect.catch((error) => Effect.logWarning(`there is no key to show: ${describe(error)}`)))
