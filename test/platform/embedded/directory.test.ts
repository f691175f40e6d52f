import assert from "node:assert/strict"
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ensureSecrets, findSecrets, openDirectory } from "#src/platform/embedded/directory.ts"
import * as Stores from "#src/platform/embedded/Stores.ts"
import { recorder } from "#test/http/support/server.ts"
import { embeddedIn, temporaryDir } from "./support/sandbox.ts"

const refusal = (dir: string) => Effect.flip(Stores.acquire(embeddedIn(dir)))

describe("PRESAGE_DIR", () => {
  it.live.each([
    ["is a file", "file", /is not a directory: set PRESAGE_DIR/],
    ["is below a file", "file/stores", /below a file that is not a directory: set PRESAGE_DIR/],
    ["is a link to nowhere", "dangling", /is not a directory: set PRESAGE_DIR/],
    ["is a link to itself", "loop/stores", /is a link to itself: set PRESAGE_DIR/],
    ["has a name that is too long", "n".repeat(300), /name that is too long: set PRESAGE_DIR/],
  ] as const)("that %s is refused with advice", ([, name, message]) =>
    Effect.gen(function* () {
      const parent = yield* temporaryDir
      writeFileSync(join(parent, "file"), "")
      symlinkSync(join(parent, "nowhere"), join(parent, "dangling"))
      symlinkSync(join(parent, "loop"), join(parent, "loop"))
      const error = yield* refusal(join(parent, name))
      assert.equal(error.store, "directory")
      assert.match(error.message, message)
      assert.ok(error.message.includes(join(parent, name)))
    }),
  )

  it.live.each(["/proc/presage", "/proc/no/such/place"])(
    "%s is refused instead of looping forever",
    (dir) =>
      Effect.map(refusal(dir), (error) => assert.match(error.message, /cannot be created there: set PRESAGE_DIR/)),
    60_000,
  )

  it.live("is created with every missing parent, and found again", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDir, "not", "yet", "there")
      assert.equal((yield* openDirectory(path)).path, path)
      assert.equal((yield* openDirectory(`${path}/`)).path, path)
      mkdirSync(join(path, "redis"))
      assert.equal((yield* openDirectory(join(path, "..", "there"))).path, path)
    }),
  )
})

describe("secrets.json", () => {
  it.live("that every user may read is taken from them with a warning, and not accepted silently", () =>
    Effect.gen(function* () {
      const dir = yield* openDirectory(yield* temporaryDir)
      yield* ensureSecrets(dir)
      const path = dir.file("secrets.json")
      chmodSync(path, 0o644)
      const { lines, logged } = recorder()
      const found = yield* Effect.provide(findSecrets(dir), logged)
      assert.equal(Object.keys(found).length, 3)
      assert.equal(statSync(path).mode & 0o777, 0o600)
      assert.deepEqual(
        lines.map(({ level }) => level),
        ["Warn"],
      )
      assert.ok(lines[0]?.text.includes(path))
      yield* Effect.provide(findSecrets(dir), logged)
      assert.equal(lines.length, 1)
    }),
  )
})
