import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures } from "#test/support/processes/scale.ts"
import { becomesReady, pollMillis, startInstance, statusOf, venueOf } from "./support/instance.ts"

const readyWithin = 180_000
/** The stores restart, shard locks expire, and the venue computes its world again. */
const takeoverWithin = 90_000
describe("two instances of one directory", () => {
  it.live("the second follows every source when the first is killed, and says when its sources stand still", () =>
    Effect.gen(function* () {
      const dir = yield* initialisedDir
      const simPort = yield* freePort
      const first = yield* startInstance("first", dir, simPort)
      yield* becomesReady(first, "at first", readyWithin)
      const second = yield* startInstance("second", dir, simPort)
      yield* becomesReady(second, "beside the first", readyWithin)
      const report = yield* second.readiness
      for (const check of ["postgres", "redis", "schedules", "cluster", "ledger", "sources"])
        assert.ok(check in (report?.body.dependencies ?? {}), `ready without the check ${check}`)
      const shown = yield* second.waitForLine(/^a key to try it/, 30_000)
      const key = shown.split(" ").at(-1) ?? ""
      const blockOf = Effect.map(statusOf(second, key), (source) => Number(source("chain")?.details["block"] ?? 0))
      const before = yield* blockOf

      first.kill()
      const took = yield* eventually(
        "new blocks after the kill",
        takeoverWithin,
        Effect.map(blockOf, (block) => block > before + 5),
        pollMillis,
      )
      yield* becomesReady(second, "without the first", takeoverWithin)
      assert.ok(!second.hasExited(), second.log())
      assert.match(second.log(), /took over the stores/)
      assert.match(second.log(), /starting the venue/)

      const venue = yield* venueOf(second)
      process.kill(venue, "SIGSTOP")
      const noticed = yield* eventually(
        "a frozen venue is noticed",
        takeoverWithin,
        Effect.gen(function* () {
          const source = yield* statusOf(second, key)
          const health = yield* second.readiness
          if (health?.status !== 503 || health.body.dependencies["sources"]?.state !== "down") return false
          return source("books")?.state === "late" && source("chain")?.state === "late"
        }),
        pollMillis,
      )
      process.kill(venue, "SIGCONT")
      const back = yield* becomesReady(second, "with its venue again", takeoverWithin)
      figures("two instances", {
        "blocks after kill -9 of the first": `${took} ms`,
        "a frozen venue is noticed after": `${noticed} ms`,
        "ready again after": `${back} ms`,
      })
    }),
  )
})
