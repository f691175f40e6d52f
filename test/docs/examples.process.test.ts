import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { type Block, type Document, documentAt, examples } from "./support/markdown.ts"
import { Shell } from "./support/Shell.ts"
import { differences, parseExample } from "./support/shape.ts"

interface Addresses {
  readonly api: string
  readonly ws: string
  readonly sim: string
  readonly receiver: string
}

/** One Presage for all documents, as a reader would have it after `npm start`. */
class Instance extends Context.Service<
  Instance,
  {
    readonly env: Readonly<Record<string, string>>
    readonly addresses: Addresses
    /** What the start printed. */
    readonly lines: ReadonlyArray<string>
  }
>()("test/docs/Instance") {
  static readonly layer = Layer.effect(
    Instance,
    Effect.gen(function* () {
      const [sim, receiver] = [yield* freePort, yield* freePort].map(String) as [string, string]
      const env = {
        PRESAGE_DIR: yield* initialisedDir,
        PORT: "0",
        WS_PORT: "0",
        SIM_PORT: sim,
        WEBHOOKS_ALLOW_INSECURE: "true",
        // Few trades, which every role of the service would read.
        SIM_RATE: "1",
        // No other process takes over; a busy one must keep its actors.
        CLUSTER_LOCK_EXPIRY: "1m",
        // So that their first figures need not be waited for.
        MARKET_STATS_EVERY: "5s",
        BUILDERS_EVERY: "5s",
      }
      const program = yield* start({ name: "the documented instance", file: "src/main.ts", args: ["start"], env })
      const line = yield* program.waitForLine(/^presage ready/, 120_000)
      const key = (yield* program.waitForLine(/^a key to try it/, 10_000)).split(" ").at(-1) ?? ""
      const portOf = (name: string) => new RegExp(`${name} \\w+://localhost:(\\d+)`).exec(line)?.[1] ?? ""
      const addresses = { api: portOf("api"), ws: portOf("ws"), sim, receiver }
      const get = (path: string) =>
        Effect.promise(() => fetch(`http://localhost:${addresses.api}${path}`, { headers: { "x-api-key": key } }))
      const textOf = (path: string) => Effect.flatMap(get(path), (answer) => Effect.promise(() => answer.text()))
      let readiness = "no answer"
      yield* eventually(
        "every dependency is up",
        60_000,
        Effect.flatMap(get("/readyz"), (answer) =>
          Effect.promise(async () => {
            readiness = await answer.text()
            return answer.ok
          }),
        ),
        250,
      ).pipe(Effect.tapCause(() => Effect.logError(`${readiness}\n${program.log()}`)))
      yield* eventually(
        "the leaderboards are built",
        60_000,
        Effect.flatMap(get("/v3/leaderboard?period=1d&limit=1"), (answer) =>
          Effect.promise(async () => answer.ok && !(await answer.text()).includes('"rows_returned":0')),
        ),
        250,
      )
      const [, builder = ""] = /"builder_code":"(0x\w+)"/.exec(yield* textOf("/v3/builders?limit=1")) ?? []
      for (const path of ["/v3/markets?limit=1", `/v3/builders/${builder}/leaderboard?limit=1`])
        yield* eventually(
          `${path} is counted`,
          120_000,
          Effect.map(get(path), ({ ok }) => ok),
          250,
        )
      return { env: { ...env, KEY: key }, addresses, lines: program.lines }
    }),
  )
}

/** The documents show the usual ports. */
const withAddresses = (text: string, { api, ws, sim, receiver }: Addresses) =>
  text
    .replaceAll("localhost:8080", `localhost:${api}`)
    .replaceAll("localhost:8081", `localhost:${ws}`)
    .replaceAll("localhost:8090", `localhost:${sim}`)
    .replaceAll(/\b9000\b/g, receiver)

const asJson = (output: string): unknown => {
  try {
    return JSON.parse(output)
  } catch {
    // Of several commands, the last one is shown.
    return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "")
  }
}

/** Numbers change from run to run, so lines with digits are not compared. */
const isConstant = (line: string) => !/[\d…]/.test(line)

const differencesFrom = (example: Block | undefined, output: string): ReadonlyArray<string> => {
  if (example?.language === "json") return differences(parseExample(example.text), asJson(output))
  if (example?.language !== "text") return []
  const printed = new Set(output.split("\n"))
  return example.text
    .split("\n")
    .filter((line) => isConstant(line) && !printed.has(line))
    .map((line) => `not printed: ${line}`)
}

/** What is wrong with the example, if anything. */
const check = async (shell: Shell, block: Block, next: Block | undefined, addresses: Addresses) => {
  const text = withAddresses(block.text, addresses)
  if (block.file !== undefined) return shell.save(block.file, text)
  const { code, output, errors } = await shell.run(text, block.fails)
  const shown = `\n${text}\n${output.slice(-2000)}\n${errors.slice(-2000)}`
  if ((code !== 0) !== block.fails) return `exit code ${code}${shown}`
  const wrong = differencesFrom(next, output)
  return wrong.length === 0 ? undefined : `${wrong.join("\n")}${shown}`
}

/** Runs blocks one after the other in one shell. */
const runBlocks = Effect.fnUntraced(function* ({ path, blocks }: Document, chosen: ReadonlyArray<Block>) {
  const { env, addresses } = yield* Instance
  const dir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-docs-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
  )
  const shell = yield* Effect.acquireRelease(
    Effect.sync(() => new Shell(dir, env)),
    (opened) => Effect.promise(() => opened.end()),
  )
  for (const block of chosen) {
    const next = blocks[blocks.indexOf(block) + 1]
    const wrong = yield* Effect.promise(() => check(shell, block, next, addresses))
    if (wrong !== undefined) assert.fail(`${path}:${block.line}: ${wrong}`)
  }
}, Effect.scoped)

/** Its blocks share nothing and each starts a process, so two run at a time: half the time on two cores. */
const isIndependent = ({ path }: Document) => path === "docs/operations.md"

const runDocument = (document: Document) => {
  const runnable = document.blocks.filter(({ skip, language }) => skip === undefined && ["sh", "ts"].includes(language))
  return isIndependent(document)
    ? Effect.forEach(runnable, (block) => runBlocks(document, [block]), { concurrency: 2, discard: true })
    : runBlocks(document, runnable)
}

/** It moves the venue's clock and breaks it, so it comes after the others. */
const isDisruptive = ({ path }: Document) => path === "docs/simulator.md"

layer(Instance.layer, { excludeTestServices: true, timeout: 900_000 })("examples in the documents", (it) => {
  const runnable = examples.filter(({ blocks }) =>
    blocks.some(({ skip, language }) => language === "sh" && skip === undefined),
  )
  for (const document of [...runnable.filter((each) => !isDisruptive(each)), ...runnable.filter(isDisruptive)])
    it.effect(`${document.path} shows commands that work and answers as they are`, () => runDocument(document), {
      concurrent: !isDisruptive(document),
      timeout: 900_000,
    })

  it.effect("README.md shows what a start prints", () =>
    Effect.gen(function* () {
      const shown = documentAt("README.md").blocks.find(({ text }) => text.startsWith("presage ready"))?.text ?? ""
      const plain = (text: string) =>
        text.replaceAll(/localhost:\d+/g, "localhost").replaceAll(/psg_live_[\w…]+/g, "psg_live_")
      const { lines } = yield* Instance
      assert.strictEqual(plain(lines.slice(0, 4).join("\n")), plain(shown))
    }),
  )
})
