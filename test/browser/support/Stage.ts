import { Context, Effect, Layer } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { freePort } from "#src/platform/embedded/ports.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { browser } from "./browser.ts"
import { cuttableProxy } from "./cuttableProxy.ts"

/** The whole service, a proxy to its gateway that can be cut, and a browser. */
export class Stage extends Context.Service<
  Stage,
  {
    readonly program: Process
    readonly browser: Browser
    readonly url: string
    /** The key that the program prints at startup. */
    readonly key: string
    readonly proxy: Effect.Success<ReturnType<typeof cuttableProxy>>
  }
>()("presage/test/browser/Stage") {
  static readonly layer = Layer.effect(
    Stage,
    Effect.gen(function* () {
      const gateway = yield* freePort
      const proxy = yield* cuttableProxy(gateway)
      const program = yield* start({
        name: "the whole service",
        file: "src/main.ts",
        args: ["start"],
        env: {
          PRESAGE_DIR: yield* temporaryDir,
          HOST: "127.0.0.1",
          PORT: "0",
          WS_PORT: String(gateway),
          WS_PUBLIC_URL: `ws://127.0.0.1:${proxy.port}/ws`,
          SIM_PORT: String(yield* freePort),
          WEBHOOKS_ALLOW_INSECURE: "true",
        },
      })
      const ready = yield* program.waitForLine(/^presage ready/, 150_000)
      const shown = yield* program.waitForLine(/^a key to try it/, 30_000)
      const url = (/api (http\S+)/.exec(ready)?.[1] ?? "").replace("localhost", "127.0.0.1")
      return Stage.of({ program, browser: yield* browser, url, key: shown.split(" ").at(-1) ?? "", proxy })
    }),
  )
}

/** A page in a new tab, with its errors. */
export const tab = (options: BrowserContextOptions = {}, path = "/live") =>
  Effect.gen(function* () {
    const { browser: open, url } = yield* Stage
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => open.newContext({ viewport: { width: 1280, height: 860 }, ...options })),
      (tabs) => Effect.promise(() => tabs.close()),
    )
    const page = yield* Effect.promise(() => context.newPage())
    page.setDefaultTimeout(60_000)
    const errors: Array<string> = []
    page.on("pageerror", (error) => errors.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text())
    })
    yield* Effect.promise(() => page.goto(`${url}${path}`))
    return { page, errors }
  })

export const enter = (page: Page, key: string) =>
  Effect.promise(async () => {
    await page.getByLabel("API key").fill(key)
    await page.keyboard.press("Enter")
  })

/** Takes screenshots with `PRESAGE_SCREENSHOTS=<folder> npm run test:browser`. */
export const screenshot = (page: Page, name: string) =>
  Effect.promise(async () => {
    const folder = process.env.PRESAGE_SCREENSHOTS
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  })
