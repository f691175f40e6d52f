import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exportFacts } from "#src/files/exportFacts.ts"
import type { ShowProgress } from "#src/files/model.ts"
import { livedLedger, temporaryDirectory } from "./support/ledgers.ts"

const folderAfter = (to: string, block: number) => `${to}/blocks-${String(block + 1).padStart(10, "0")}`

describe("An export that cannot write on", () => {
  // Every write to this device fails as on a full disk.
  it.live("says that the disk is full, and leaves nothing on it", () =>
    Effect.gen(function* () {
      assert.isTrue(existsSync("/dev/full"), "this test needs /dev/full, which Linux has")
      const to = yield* temporaryDirectory
      const filling: ShowProgress =
        () =>
        ({ block }) =>
          Effect.sync(() => {
            mkdirSync(folderAfter(to, block), { recursive: true })
            symlinkSync("/dev/full", `${folderAfter(to, block)}/fill.parquet.partial`)
          })
      const options = { to, format: "parquet", factsPerPart: 1_000, show: filling } as const
      const { message } = yield* Effect.flip(exportFacts(options))
      assert.match(message, /no space left .*make room, or export fewer blocks/)
      assert.deepStrictEqual(readdirSync(to), [])
    }).pipe(Effect.scoped, Effect.provide(livedLedger)),
  )

  it.live("leaves nothing, so that the next one can use the directory", () =>
    Effect.gen(function* () {
      const to = yield* temporaryDirectory
      // A directory is in the way of the next part's files.
      const blocking: ShowProgress =
        () =>
        ({ block }) =>
          Effect.sync(() => {
            mkdirSync(`${folderAfter(to, block)}/block.csv.partial`, { recursive: true })
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
