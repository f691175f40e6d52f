import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { abandonKeys } from "#src/cli/abandonKeys.ts"
import { ensureSecrets, openDirectory } from "#src/platform/embedded/directory.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { isWellFormed } from "#src/secrets/keyFormat.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"

/** Starts another process with these settings on the same database. */
const startWith = (flags: Record<string, string>) =>
  Effect.provide(
    Effect.map(Secrets, ({ pepper, encryptionKey, demoKey }) => ({
      pepper: Buffer.from(Redacted.value(pepper)).toString("hex"),
      encryptionKey: Buffer.from(Redacted.value(encryptionKey)).toString("hex"),
      demoKey: Redacted.value(demoKey),
    })),
    Secrets.layer.pipe(Layer.provide(testConfiguration(flags)), Layer.fresh),
  )
const startIn = (dir: string) => startWith({ "presage.dir": dir })
const fileIn = (dir: string) => join(dir, "secrets.json")
const contentOf = (dir: string) => JSON.parse(readFileSync(fileIn(dir), "utf8")) as Record<string, string>
const forget = Effect.flatMap(Postgres, ({ sql }) => sql`delete from secret_fingerprint`)

layer(testFoundation(), { excludeTestServices: true })("Secrets", (it) => {
  it.effect("are created in a new directory, and processes that start together agree on them", () =>
    Effect.gen(function* () {
      yield* forget
      const dir = join(yield* temporaryDir, "not", "yet")
      const started = yield* Effect.all(Array(5).fill(startIn(dir)) as Array<ReturnType<typeof startIn>>, {
        concurrency: "unbounded",
      })
      const [first] = started
      assert.deepStrictEqual(new Set(started.map((each) => JSON.stringify(each))).size, 1)
      assert.deepStrictEqual(contentOf(dir), { ...first })
      assert.strictEqual(statSync(fileIn(dir)).mode & 0o777, 0o600)
      assert.strictEqual(first?.pepper.length, 64)
      assert.notStrictEqual(first?.pepper, first?.encryptionKey)
      assert.isTrue(isWellFormed(first?.demoKey ?? ""))
      assert.isFalse(existsSync(`${fileIn(dir)}.lock`))
    }),
  )

  it.effect("share one file with the secrets of the stores, in any order of creation", () =>
    Effect.gen(function* () {
      yield* forget
      const dir = yield* temporaryDir
      const old = { postgres: "one", redis: "two", owner: "three", later: "four" }
      writeFileSync(fileIn(dir), JSON.stringify(old))
      const made = yield* startIn(dir)
      assert.deepStrictEqual(contentOf(dir), { ...old, ...made })

      yield* forget
      const other = yield* temporaryDir
      const ours = yield* startIn(other)
      const { owner } = yield* ensureSecrets(yield* openDirectory(other))
      assert.deepInclude(contentOf(other), { ...ours, owner: Redacted.value(owner) })
    }),
  )

  it.effect("the lock of a dead process is ignored", () =>
    Effect.gen(function* () {
      yield* forget
      const dir = yield* temporaryDir
      const lock = `${fileIn(dir)}.lock`
      writeFileSync(lock, "")
      utimesSync(lock, 1000, 1000)
      assert.isTrue(isWellFormed((yield* startIn(dir)).demoKey))
    }),
  )

  it.effect("a damaged or edited file stops the start and stays unchanged", () =>
    Effect.gen(function* () {
      yield* forget
      const dir = yield* temporaryDir
      for (const [damaged, said] of [
        ['{"postgres":"one","red', /secrets\.json: is damaged: restore it/],
        ['{"postgres":1}', /is damaged/],
        ['{"pepper":"abc"}', /pepper is not valid, probably edited by hand; restore it/],
      ] as const) {
        writeFileSync(fileIn(dir), damaged)
        const error = yield* Effect.flip(startIn(dir))
        assert.match(error.message, said)
        assert.strictEqual(readFileSync(fileIn(dir), "utf8"), damaged)
      }
    }),
  )

  it.effect("that differ from the database's stop the start with the reason, until the keys are abandoned", () =>
    Effect.gen(function* () {
      yield* forget
      const [dir, empty] = [yield* temporaryDir, yield* temporaryDir]
      const first = yield* startIn(dir)
      assert.deepStrictEqual(yield* startIn(dir), first)

      const lost = yield* Effect.flip(startIn(empty))
      assert.strictEqual(lost._tag, "OtherSecret")
      assert.match(
        lost.message,
        /made with a different secret .*Restore the original secrets\.json.*PRESAGE_SECRET.*keys abandon --yes/,
      )
      assert.isFalse(existsSync(fileIn(empty)))

      const other = yield* Effect.flip(startWith({ "presage.secret": "sixteen letters!" }))
      assert.match(other.message, /a different secret than the one in PRESAGE_SECRET/)
      assert.notInclude(other.message, "sixteen letters!")

      writeFileSync(fileIn(empty), JSON.stringify({ ...first, encryptionKey: first.pepper }))
      assert.strictEqual((yield* Effect.flip(startIn(empty)))._tag, "OtherSecret")

      yield* abandonKeys
      assert.notDeepEqual(yield* startIn(empty), first)
      assert.strictEqual((yield* Effect.flip(startIn(dir)))._tag, "OtherSecret")
    }),
  )

  it.effect("are derived from PRESAGE_SECRET without a file, the same in every process", () =>
    Effect.gen(function* () {
      yield* forget
      const dir = join(yield* temporaryDir, "unused")
      const flags = { "presage.secret": "the same in every process", "presage.dir": dir }
      const first = yield* startWith(flags)
      assert.deepStrictEqual(yield* startWith({ ...flags, "presage.dir": `${dir}2` }), first)
      assert.isFalse(existsSync(dir))
      assert.isTrue(isWellFormed(first.demoKey))
      assert.strictEqual(first.encryptionKey.length, 64)
      assert.notStrictEqual(first.pepper, first.encryptionKey)
      const short = yield* Effect.flip(
        Effect.provide(Effect.void, testConfiguration({ "presage.secret": "fifteen letters" })),
      )
      assert.match(short.message, /presage\.secret: the given value is not a text of at least 16 characters/)
    }),
  )
})
