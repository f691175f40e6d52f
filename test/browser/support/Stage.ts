import { Context, Effect, Layer } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { inject } from "vitest"
import { call } from "#test/http/support/client.ts"
import { browser } from "./browser.ts"
import { type CuttableProxy, cuttableProxy } from "./cuttableProxy.ts"

/**
 * An address of this machine for each worker. The pages find the gateway at the host of their own address, so that each worker
 * has proxies of its own to the same service and can cut them without disturbing the others.
 */
const host = `127.0.0.${10 + Number(process.env.VITEST_POOL_ID ?? 0)}`

export interface Account {
  readonly id: string
  readonly key: string
}

/** A change by an operator. */
const operate = Effect.fnUntraced(function* (method: "POST" | "PATCH", path: string, body: unknown) {
  const { port, token } = inject("browserService")
  const answer = yield* call(port, `/ops/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "x-presage-console": "1", "content-type": "application/json" },
    body: JSON.stringify(body),
  }).pipe(Effect.orDie)
  if (answer.status >= 300) return yield* Effect.die(new Error(`${method} ${path}: ${answer.status} ${answer.text}`))
  return answer.json
})

export const newAccount = (plan: "free" | "growth") =>
  Effect.map(
    operate("POST", "/accounts", { name: `${plan} account of a test`, plan }),
    ({ account, api_key }): Account => ({ id: account.id, key: api_key }),
  )

/** Sets how many requests an account may send in a minute; null restores what its plan allows. */
export const allowPerMinute = ({ id }: Account, requests: number | null) =>
  operate("PATCH", `/accounts/${id}`, { standard_per_minute: requests })

/** An account that may ask for an hour's data within minutes. */
export const hastyAccount = Effect.tap(newAccount("growth"), ({ id }) =>
  operate("PATCH", `/accounts/${id}`, { standard_per_minute: 100_000, heavy_per_minute: 100_000 }),
)

/** The service that all files share, with proxies and an account of this file, and a browser. */
export class Stage extends Context.Service<
  Stage,
  {
    readonly browser: Browser
    /** Goes through the proxy `api`. */
    readonly url: string
    /** Of an account that only this file uses. */
    readonly key: string
    readonly api: CuttableProxy
    readonly gateway: CuttableProxy
  }
>()("presage/test/browser/Stage") {
  static readonly layer = Layer.effect(
    Stage,
    Effect.gen(function* () {
      const { port, gatewayPort } = inject("browserService")
      const api = yield* cuttableProxy(port, { host, port: 0 })
      const gateway = yield* cuttableProxy(gatewayPort, { host, port: gatewayPort })
      return Stage.of({
        browser: yield* browser,
        url: `http://${host}:${api.port}`,
        key: (yield* newAccount("growth")).key,
        api,
        gateway,
      })
    }),
  )
}

/** What the service printed and logged so far. */
export const serviceLog = Effect.promise(
  async () =>
    (await (await fetch(inject("browserService").logUrl)).json()) as {
      readonly lines: ReadonlyArray<string>
      readonly log: string
    },
)

/** The sizes and colours at which people use the pages. */
export const sizes = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" },
  desk: { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>

/** Pairs of a name and a size, for tests of flows. */
export const bothSizes = Object.entries(sizes)

export interface Opened {
  readonly page: Page
  /** Of the page's scripts and console, without refused requests, which the pages show by themselves. */
  readonly errors: ReadonlyArray<string>
  /** Every address that the page asked for. */
  readonly asked: ReadonlyArray<string>
}

/** A page in a new tab. `remembered` is what the storage of the tab contains at first. */
export const tab = (
  path: string,
  options: BrowserContextOptions = sizes.desk,
  remembered: Readonly<Record<string, string>> = {},
) =>
  Effect.gen(function* () {
    const { browser: open, url } = yield* Stage
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => open.newContext(options)),
      (tabs) => Effect.promise(() => tabs.close()),
    )
    // Once, so that what was forgotten stays forgotten after a reload.
    const remember = `if (!sessionStorage.getItem("opened")) {
      sessionStorage.setItem("opened", "1")
      for (const [name, value] of Object.entries(${JSON.stringify(remembered)})) sessionStorage.setItem(name, value)
    }`
    yield* Effect.promise(() => context.addInitScript(remember))
    const page = yield* Effect.promise(() => context.newPage())
    page.setDefaultTimeout(60_000)
    const errors: Array<string> = []
    const asked: Array<string> = []
    page.on("pageerror", (error) => errors.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        errors.push(message.text())
    })
    page.on("request", (request) => asked.push(request.url()))
    page.on("websocket", (socket) => asked.push(socket.url()))
    yield* Effect.promise(() => page.goto(`${url}${path}`))
    return { page, errors, asked } satisfies Opened
  })

/** What a tab remembers that may open every page. */
export const everyKey = (key: string) => ({
  "presage-key": key,
  "presage-console-token": inject("browserService").token,
})

/** A page that knows the key of the file, or another one. */
export const signedIn = (path: string, options?: BrowserContextOptions, key?: string) =>
  Effect.gen(function* () {
    const own = (yield* Stage).key
    return yield* tab(path, options, { "presage-key": key ?? own })
  })

/** A part of the console that knows the token. */
export const consoleTab = (path = "", options?: BrowserContextOptions) =>
  tab(`/console${path}`, options, { "presage-console-token": inject("browserService").token })
