import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { version } from "#src/platform/process/version.ts"
import { start } from "#test/support/processes/Process.ts"

const root = join(import.meta.dirname, "..", "..")

/** Notes every module that is resolved in a file: what a pipe has not taken yet is lost when a command exits. */
const traced = `data:text/javascript,${encodeURIComponent(
  `import { appendFileSync } from "node:fs"
   import { registerHooks } from "node:module"
   registerHooks({
     resolve: (name, context, next) => {
       const found = next(name, context)
       appendFileSync(process.env.TRACE_FILE, found.url + "\\n")
       return found
     },
   })`,
)}`

const presage = Effect.fnUntraced(function* (expectedExit: number, ...args: ReadonlyArray<string>) {
  const flags = ["--import", traced]
  const trace = join(mkdtempSync(join(tmpdir(), "presage-front-page-")), "modules")
  // Not from the bundle of the tests, which has no modules.
  const env = { NODE_OPTIONS: "", NODE_COMPILE_CACHE: "", TRACE_FILE: trace }
  const command = yield* start({ name: args.join(" "), file: "src/main.ts", args, flags, env })
  assert.equal(yield* command.exit(60_000), expectedExit, command.log())
  const loaded = readFileSync(trace, "utf8").split("\n")
  rmSync(dirname(trace), { recursive: true })
  const packages = new Set(loaded.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
  return { text: command.lines.join("\n"), loaded, packages }
})

/** What `--help` shows: every start loads its modules one by one. */
class Help extends Context.Service<Help, Effect.Success<ReturnType<typeof presage>>>()("test/cli/Help") {}

layer(Layer.effect(Help, presage(0, "--help")), { excludeTestServices: true })("the front page", (it) => {
  it.effect("--version and --help load neither the service nor its libraries", () =>
    Effect.gen(function* () {
      const shown = yield* presage(0, "--version")
      assert.equal(shown.text, `presage v${version}`)
      const help = yield* Help
      for (const { packages, loaded } of [shown, help]) {
        assert.deepEqual([...packages], ["effect"])
        // Importing all of Effect takes longer than the answer may.
        assert.ok(!loaded.some((url) => url.endsWith("/effect/dist/index.js")))
        assert.ok(!loaded.some((url) => url.includes("/src/roles/")))
      }
    }),
  )

  it.effect("--help is the page that the library makes of all commands", () =>
    Effect.gen(function* () {
      const help = yield* Help
      const made = yield* presage(2)
      assert.equal(help.text, made.text)
    }),
  )

  it.effect("a command loads no other command", () =>
    Effect.gen(function* () {
      const { loaded, packages } = yield* presage(0, "keys", "--help")
      assert.ok(loaded.some((url) => url.endsWith("/src/cli/keys.ts")))
      assert.ok(!loaded.some((url) => url.endsWith("/src/cli/record.ts")))
      assert.deepEqual(
        ["viem", "bullmq", "undici"].filter((name) => packages.has(name)),
        [],
      )
    }),
  )

  it.effect("a module whose cached form was cut short is made again", () =>
    Effect.gen(function* () {
      const source = readFileSync(join(root, "src", "cli", "descriptions.ts"))
      const name = `${createHash("sha256").update(source).digest("hex")}.js`
      const cached = join(root, "node_modules", ".cache", "presage", `stripped-${process.version}`, name)
      const whole = readFileSync(cached, "utf8")
      truncateSync(cached, 100)
      const help = yield* presage(0, "--help")
      assert.match(help.text, /webhooks {2}/)
      assert.equal(readFileSync(cached, "utf8"), whole)
    }),
  )
})
