import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option, Redacted } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import type { BrowserService } from "./service.ts"

/** Runs the whole service for the browser tests until standard input closes; prints where it is. */
const untilStdinCloses = Effect.callback<void>((resume) => {
  process.stdin.resume().once("end", () => resume(Effect.void))
})

const temporaryDir = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-browser-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true })),
)

/** Serves what the service has printed and logged so far: tests look for keys in it. */
const logServer = (program: Process) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly end: () => void }>((resume) => {
      const server = createServer((_, response) =>
        response.end(JSON.stringify({ lines: program.lines, log: program.log() })),
      )
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, end: () => server.close() }))
      })
    }),
    ({ end }) => Effect.sync(end),
  )

const token = "a token for the browser"

const serve = Effect.gen(function* () {
  const dir = yield* temporaryDir
  const [port, gatewayPort] = [yield* freePort, yield* freePort]
  const program = yield* start({
    name: "the whole service",
    file: "src/main.ts",
    args: ["start"],
    env: {
      PRESAGE_DIR: dir,
      HOST: "127.0.0.1",
      PORT: String(port),
      WS_PORT: String(gatewayPort),
      SIM_PORT: String(yield* freePort),
      WEBHOOKS_ALLOW_INSECURE: "true",
      // A busy machine must not move the actors back and forth.
      CLUSTER_LOCK_EXPIRY: "1m",
      CONSOLE_TOKEN: token,
    },
  })
  yield* program.waitForLine(/^presage ready/, 400_000)
  const shown = yield* program.waitForLine(/^a key to try it/, 30_000)
  const stores = yield* peek({ dir, databaseUrl: Option.none(), redisUrl: Option.none() })
  const served: BrowserService = {
    port,
    gatewayPort,
    token,
    printedKey: shown.split(" ").at(-1) ?? "",
    redisUrl: Redacted.value(Option.getOrThrow(stores).redisUrl),
    logUrl: (yield* logServer(program)).url,
  }
  process.stdout.write(`${JSON.stringify(served)}\n`)
  yield* untilStdinCloses
})

Effect.runPromise(Effect.scoped(serve)).catch((error) => {
  process.stderr.write(`${error}\n`)
  process.exitCode = 1
})
