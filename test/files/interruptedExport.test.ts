import { mkdirSync, readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exportFacts } from "#src/files/exportFacts.ts"
import type { ShowProgress } from "#src/files/model.ts"
import { livedLedger, temporaryDirectory } from "./support/ledgers.ts"

describe("An export that cannot write on", () => {
  it.live("leaves nothing, so that the next one can use the directory", () =>
    Effect.gen(function* () {
      const to = yield* temporaryDirectory
      // A directory is in the way of the next part's files.
      const blocking: ShowProgress =
        () =>
        ({ block }) =>
          Effect.sync(() => {
            mkdirSync(`${to}/blocks-${String(block + 1).padStart(10, "0")}/block.csv.partial`, { recursive: true })
          })
      const options = { to, format: "csv", factsPerPart: 1_000 } as const
      const { message } = yield* Effect.flip(exportFacts({ ...options, show: blocking }))
      assert.match(message, /cannot write the files/)
      assert.deepStrictEqual(readdirSync(to), [])
      const { parts } = yield* exportFacts(options)
      assert.isAbove(parts.length, 2)
    }).pipe(Effect.scoped, Effect.provide(livedLedger)),
  )
})
