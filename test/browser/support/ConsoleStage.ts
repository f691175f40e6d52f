import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Redis as Client } from "ioredis"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { freePort } from "#src/platform/embedded/ports.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { browser } from "./browser.ts"
import { cuttableProxy } from "./cuttableProxy.ts"

export const token = "a token for the browser"

/** The whole service with a token for the console, a proxy to it that can be cut, and a browser. */
export class ConsoleStage extends Context.Service<
  ConsoleStage,
  {
    readonly program: Process
    readonly browser: Browser
    /** Goes through the proxy. */
    readonly url: string
    readonly key: string
    readonly proxy: Effect.Success<ReturnType<typeof cuttableProxy>>
    /** The Redis of the service. */
    readonly redis: Client
  }
>()("presage/test/browser/ConsoleStage") {
  static readonly layer = Layer.effect(
    ConsoleStage,
    Effect.gen(function* () {
      const port = yield* freePort
      const dir = yield* temporaryDir
      const proxy = yield* cuttableProxy(port)
      const program = yield* start({
        name: "the whole service",
        file: "src/main.ts",
        args: ["start"],
        env: {
          PRESAGE_DIR: dir,
          HOST: "127.0.0.1",
          PORT: String(port),
          WS_PORT: "0",
          SIM_PORT: String(yield* freePort),
          // A busy machine must not move the actors back and forth.
          CLUSTER_LOCK_EXPIRY: "1m",
          CONSOLE_TOKEN: token,
        },
      })
      yield* program.waitForLine(/^presage ready/, 400_000)
      const shown = yield* program.waitForLine(/^a key to try it/, 30_000)
      const stores = yield* peek({ dir, databaseUrl: Option.none(), redisUrl: Option.none() })
      const { redisUrl } = Option.getOrThrow(stores)
      const redis = yield* Effect.acquireRelease(
        Effect.sync(() => new Client(Redacted.value(redisUrl), { maxRetriesPerRequest: null })),
        (client) => Effect.sync(() => client.disconnect()),
      )
      return ConsoleStage.of({
        program,
        browser: yield* browser,
        url: `http://127.0.0.1:${proxy.port}`,
        key: shown.split(" ").at(-1) ?? "",
        proxy,
        redis,
      })
    }),
  )
}

/** A part of the console in a new tab that knows the token, with its errors. */
export const consoleTab = (path = "", options: BrowserContextOptions = {}, isSignedIn = true) =>
  Effect.gen(function* () {
    const { browser: open, url } = yield* ConsoleStage
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => open.newContext({ viewport: { width: 1440, height: 900 }, ...options })),
      (tabs) => Effect.promise(() => tabs.close()),
    )
    // Once, so that a token that was forgotten stays forgotten after a reload.
    const remember = `if (!sessionStorage.getItem("asked")) {
      sessionStorage.setItem("asked", "1"); sessionStorage.setItem("presage-console-token", ${JSON.stringify(token)}) }`
    if (isSignedIn) yield* Effect.promise(() => context.addInitScript(remember))
    const page: Page = yield* Effect.promise(() => context.newPage())
    page.setDefaultTimeout(60_000)
    const errors: Array<string> = []
    page.on("pageerror", (error) => errors.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text())
    })
    yield* Effect.promise(() => page.goto(`${url}/console${path}`))
    return { page, errors }
  })
