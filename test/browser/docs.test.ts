import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { Stage } from "./support/Stage.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const wait = <A>(act: () => Promise<A>) => Effect.promise(act)

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }
const desktop = { viewport: { width: 1440, height: 900 } }

/** A page of the documentation in a new tab, with its errors and the bytes that it received. */
const open = (path: string, options: BrowserContextOptions = desktop) =>
  Effect.gen(function* () {
    const { browser, url } = yield* Stage
    const context = yield* Effect.acquireRelease(
      wait(() => browser.newContext(options)),
      (tabs) => wait(() => tabs.close()),
    )
    const page = yield* wait(() => context.newPage())
    page.setDefaultTimeout(60_000)
    const errors: Array<string> = []
    page.on("pageerror", (error) => errors.push(error.message))
    // A refused request is an error in the console too; the tests look at the page instead.
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("Failed to load resource")) errors.push(message.text())
    })
    yield* wait(() => page.goto(`${url}${path}`))
    return { page, errors }
  })

const shown = (page: Page, text: string) => wait(() => page.getByText(text).first().waitFor())
const heading = (page: Page, name: string) =>
  wait(() => page.getByRole("heading", { level: 1, name, exact: true }).waitFor())

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** Serious findings of axe. The page's policy allows no inline script, so it is evaluated by the debugger. */
const findings = (page: Page) =>
  wait(async () => {
    await page.evaluate(axe)
    const found = await page.evaluate<ReadonlyArray<Finding>>(
      "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
    )
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })

const sideways = (page: Page) =>
  wait(() => page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

layer(Stage.layer, { excludeTestServices: true, timeout: 300_000 })("The documentation page", (it) => {
  it.effect("finds an operation by search and tries it with a key that stays after a reload", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page, errors } = yield* open("/docs")
      yield* heading(page, `Presage ${JSON.parse(readFileSync("package.json", "utf8")).version}`)
      yield* wait(() => page.keyboard.press("/"))
      yield* wait(() => page.keyboard.type("largest trades wal"))
      yield* shown(page, "Nothing contains all of these words.")
      yield* wait(() => page.getByRole("combobox", { name: "Search the documentation" }).fill("GET /v1/status"))
      yield* wait(() => page.getByRole("option").first().waitFor())
      yield* wait(() => page.keyboard.press("Enter"))
      yield* wait(() => page.waitForURL("**/docs/reference/status.overview"))
      yield* wait(() => page.getByLabel("API key").fill(key))
      yield* wait(() => page.reload())
      assert.strictEqual(yield* wait(() => page.getByLabel("API key").inputValue()), key)
      yield* wait(() => page.getByRole("button", { name: "Send the request" }).click())
      yield* wait(() => page.getByText("Status 200").waitFor())
      assert.notInclude(page.url(), key)
      assert.deepStrictEqual(errors, [])
    }),
  )

  it.effect("says why a key is refused", () =>
    Effect.gen(function* () {
      const { page } = yield* open("/docs/reference/tradeLists.all")
      yield* heading(page, "Trades")
      yield* wait(() => page.getByLabel("API key").fill("psg_live_nonsense"))
      yield* wait(() => page.getByRole("button", { name: "Send the request" }).click())
      yield* wait(() => page.getByText("Status 401").waitFor())
      yield* wait(() => page.getByRole("alert").filter({ hasText: /key/i }).waitFor())
    }),
  )

  it.effect("cuts a large answer and offers it as a file", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page } = yield* open("/docs/reference/tradeLists.all")
      yield* wait(() => page.getByLabel("API key").fill(key))
      yield* wait(() => page.locator("#parameter-min_amount_usd").fill(""))
      yield* wait(() => page.locator("#parameter-limit").fill("300"))
      yield* wait(() => page.getByRole("button", { name: "Send the request" }).click())
      yield* wait(() => page.getByText("Status 200").waitFor())
      yield* shown(page, "are shown. Download it to see the rest.")
      const answer = page.getByRole("region", { name: "Answer" })
      assert.isAtMost((yield* wait(() => answer.locator("pre").innerText())).length, 100_000)
      const [file] = yield* wait(() =>
        Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download the answer" }).click()]),
      )
      const path = yield* wait(() => file.path())
      const whole = readFileSync(path, "utf8")
      assert.isAbove(whole.length, 100_000)
      assert.strictEqual(JSON.parse(whole).trades.length, 300)
    }),
  )

  it.effect("writes the request in three languages, with what the form says", () =>
    Effect.gen(function* () {
      const { url } = yield* Stage
      const { page } = yield* open("/docs/reference/tradeLists.all")
      yield* wait(() => page.locator("#parameter-limit").fill("7"))
      const code = page.getByRole("tabpanel")
      assert.include(yield* wait(() => code.innerText()), `${url}/v3/trades?`)
      assert.include(yield* wait(() => code.innerText()), "limit=7")
      yield* wait(() => page.getByRole("tab", { name: "curl" }).focus())
      yield* wait(() => page.keyboard.press("ArrowRight"))
      assert.include(yield* wait(() => code.innerText()), "await fetch(")
      yield* wait(() => page.getByRole("tab", { name: "Python" }).click())
      assert.include(yield* wait(() => code.innerText()), '"limit": "7"')
    }),
  )

  it.effect("shows guides, streams and webhooks, and links between them", () =>
    Effect.gen(function* () {
      const { page, errors } = yield* open("/docs/guides/units")
      yield* heading(page, "Units and times")
      yield* wait(() => page.getByRole("navigation", { name: "Documentation" }).getByText("REST API").click())
      yield* heading(page, "REST API")
      yield* wait(() => page.goto(`${page.url().split("/guides")[0]}/streams/subscribe`))
      yield* heading(page, "subscribe")
      yield* wait(() => page.goto(page.url().replace("streams/subscribe", "webhooks/large_trade")))
      yield* heading(page, "large_trade")
      yield* shown(page, "X-Webhook-Signature")
      assert.deepStrictEqual(errors, [])
    }),
  )

  for (const [size, options] of [
    ["390 px in the dark", { ...phone, colorScheme: "dark" }],
    ["1440 px in the light", { ...desktop, colorScheme: "light" }],
  ] as const)
    it.effect(`fits ${size}, and axe finds nothing serious`, () =>
      Effect.gen(function* () {
        for (const [path, title] of [
          ["/docs/reference/tradeLists.all", "Trades"],
          ["/docs/guides/streams", "WebSocket streams"],
          ["/docs/webhooks", "Deliveries to webhooks"],
        ] as const) {
          const { page, errors } = yield* open(path, options)
          yield* heading(page, title)
          assert.strictEqual(yield* wait(() => page.locator("html").getAttribute("data-theme")), options.colorScheme)
          assert.isAtMost(yield* sideways(page), 0, path)
          assert.deepStrictEqual(yield* findings(page), [], path)
          assert.deepStrictEqual(errors, [])
        }
      }),
    )

  it.effect("opens its contents on a phone", () =>
    Effect.gen(function* () {
      const { page } = yield* open("/docs", phone)
      const contents = page.getByRole("navigation", { name: "Documentation" })
      yield* wait(() => contents.getByRole("button", { name: "Contents" }).click())
      yield* wait(() => contents.getByRole("link", { name: "Units and times" }).click())
      yield* heading(page, "Units and times")
      yield* wait(() => contents.getByRole("link", { name: "Units and times" }).waitFor({ state: "hidden" }))
    }),
  )

  it.effect("loads at most 150 kB at first, and nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { browser, url } = yield* Stage
      const context = yield* Effect.acquireRelease(
        wait(() => browser.newContext(desktop)),
        (tabs) => wait(() => tabs.close()),
      )
      const page = yield* wait(() => context.newPage())
      const sizes: Array<Promise<number>> = []
      page.on("requestfinished", (request) => {
        assert.isTrue(request.url().startsWith(url), request.url())
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
      })
      yield* wait(() => page.goto(`${url}/docs`, { waitUntil: "networkidle" }))
      const bytes = (yield* wait(() => Promise.all(sizes))).reduce((sum, size) => sum + size, 0)
      assert.isAbove(bytes, 10_000)
      assert.isAtMost(bytes, 150_000)
    }),
  )
})
