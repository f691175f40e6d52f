// A process that acquires the stores of a directory, reports to its parent and runs until it is stopped.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Option, Redacted } from "effect"
import * as Stores from "#src/platform/embedded/Stores.ts"

const [dir = "", brief] = process.argv.slice(2)

const hold = Effect.gen(function* () {
  const stores = yield* Stores.acquire({
    dir,
    databaseUrl: Option.none(),
    redisUrl: Option.none(),
    brief: brief === "brief",
  })
  const report = {
    databaseUrl: Redacted.value(stores.databaseUrl),
    redisUrl: Redacted.value(stores.redisUrl),
    joined: stores.joined,
  }
  yield* Effect.sync(() => process.stdout.write(`${JSON.stringify(report)}\n`))
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(hold))
