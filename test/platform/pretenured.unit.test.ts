import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { assignments, statementOf } from "#src/platform/process/pretenured.ts"

const root = join(import.meta.dirname, "../..")
const moduleCache = new URL("../../src/platform/process/moduleCache.ts", import.meta.url).href
const script = join(import.meta.dirname, "support/keptResults.ts")

describe("Functions that libraries assign to properties", () => {
  for (const assignment of assignments) {
    it(`are still in ${assignment.file}`, () => {
      const source = readFileSync(join(root, "node_modules", assignment.file), "utf8")
      assert.lengthOf(source.split(statementOf(assignment)), 2)
    })
  }

  it("keep few results beyond minor collections", () => {
    /** Megabytes that are kept of 26. On a busy machine a full collection may come in between, and free what was there before. */
    const kept = (
      flags: ReadonlyArray<string>,
      attempts = 5,
    ): { readonly fibers: number; readonly commands: number } => {
      const output = execFileSync(process.execPath, ["--expose-gc", ...flags, script], {
        encoding: "utf8",
        timeout: 60_000,
      })
      const found = JSON.parse(output)
      return Math.min(found.fibers, found.commands) < -1 && attempts > 1 ? kept(flags, attempts - 1) : found
    }
    const [before, after] = [kept([]), kept(["--import", moduleCache])]
    assert.isAbove(before.fibers, 2 * after.fibers)
    assert.isAbove(before.commands, 2 * after.commands)
    assert.isBelow(after.fibers, 13)
    assert.isBelow(after.commands, 13)
  })
})
