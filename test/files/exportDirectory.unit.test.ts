import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { completeDirectory, takeDirectory } from "#src/files/exportDirectory.ts"
import { startOf } from "#src/platform/process/startOf.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-export-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
)

const dead = `4194305 ${hostname()} 1\n`

/** What an export that was killed has left. */
const leave = (directory: string, owner: string, marker = "export.unfinished") => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(`${directory}/blocks-0000000001`, { recursive: true })
  writeFileSync(`${directory}/token.csv.partial`, "id")
  writeFileSync(`${directory}/${marker}`, owner)
}

describe("The directory of an export", () => {
  it.live("is taken over from an export that had the same process id in an earlier container", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      for (const owner of [`${process.pid} ${hostname()} 1\n`, `${process.pid} ${hostname()}\n`, dead, ""]) {
        leave(directory, owner)
        yield* takeDirectory(directory)
        assert.deepStrictEqual(readdirSync(directory), ["export.unfinished"])
        const text = readFileSync(`${directory}/export.unfinished`, "utf8")
        assert.strictEqual(text, `${process.pid} ${hostname()} ${startOf(process.pid)}\n`)
        yield* completeDirectory(directory)
      }
    }).pipe(Effect.scoped),
  )

  it.live("is left to an export that may be running", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const parent = `${process.ppid} ${hostname()}`
      for (const owner of [`${parent}\n`, `${parent} ${startOf(process.ppid)}\n`, "1 another-machine 1\n"]) {
        leave(directory, owner)
        const { message } = yield* Effect.flip(takeDirectory(directory))
        assert.include(message, owner.trim())
        assert.lengthOf(readdirSync(directory), 3)
      }
      leave(directory, `${parent} 1\n`)
      yield* takeDirectory(directory)
    }).pipe(Effect.scoped),
  )

  it.live("is written by one of several exports that find the same leftover", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      for (let round = 0; round < 30; round++) {
        leave(directory, round % 2 === 0 ? dead : "")
        const all = Array.from({ length: 6 }, () => Effect.exit(takeDirectory(directory)))
        const exits = yield* Effect.all(all, { concurrency: "unbounded" })
        assert.isAtMost(exits.filter(Exit.isSuccess).length, 1)
        if (exits.some(Exit.isSuccess)) assert.deepStrictEqual(readdirSync(directory), ["export.unfinished"])
      }
    }).pipe(Effect.scoped),
  )

  it.live("is taken over from an export that was killed while it took it over", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      leave(directory, dead, "export.unfinished.00000000-0000-4000-8000-000000000000")
      yield* takeDirectory(directory)
      assert.deepStrictEqual(readdirSync(directory), ["export.unfinished"])
    }).pipe(Effect.scoped),
  )
})
