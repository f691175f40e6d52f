import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { rewrites } from "#src/platform/process/pretenured.ts"

const root = join(import.meta.dirname, "../..")
const moduleCache = join(root, "src/platform/process/moduleCache.ts")
const script = join(import.meta.dirname, "support/keptResults.ts")

describe("Functions that libraries assign to properties", () => {
  for (const { file, from } of rewrites) {
    it(`are still in ${file}`, () => {
      const source = readFileSync(join(root, "node_modules", file), "utf8")
      assert.lengthOf(source.split(from), 2)
    })
  }

  it("keep few results beyond minor collections", () => {
    const output = execFileSync(process.execPath, ["--expose-gc", "--import", moduleCache, script], {
      cwd: root,
      encoding: "utf8",
    })
    const { fibers, commands } = JSON.parse(output) as { readonly fibers: number; readonly commands: number }
    // Of 26 MB each.
    assert.isBelow(fibers, 13)
    assert.isBelow(commands, 13)
  })
})
