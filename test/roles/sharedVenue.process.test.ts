import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { startInstance } from "./support/instance.ts"

const within = 120_000

describe("two instances that start the venue of one directory at the same time", () => {
  it.live("one runs it and the other joins it, instead of ending because the world is in use", () =>
    Effect.gen(function* () {
      const dir = yield* initialisedDir
      const simPort = yield* freePort
      const instances = yield* Effect.all([startInstance("one", dir, simPort), startInstance("other", dir, simPort)])
      const joined = () => instances.filter((each) => each.log().includes("joined the simulated venue")).length
      yield* eventually(
        "one has joined the venue of the other, or has ended",
        within,
        Effect.sync(() => joined() > 0 || instances.some((each) => each.hasExited())),
      )
      for (const each of instances) assert.ok(!each.hasExited(), each.log())
      yield* eventually(
        "both answer",
        within,
        Effect.map(Effect.all(instances.map(({ readiness }) => readiness)), (reports) =>
          reports.every((report) => report !== undefined),
        ),
        250,
      )
      assert.equal(joined(), 1)
    }),
  )
})
