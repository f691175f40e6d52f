import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { call } from "#test/http/support/client.ts"
import { enter, Stage, screenshot, tab } from "./support/Stage.ts"

const coins = ["BTC", "ETH", "SOL", "BNB", "XRP", "DOGE", "HYPE"]

const wait = <A>(run: () => Promise<A>) => Effect.promise(run)
const text = (page: Page, selector: string) => wait(() => page.innerText(selector))
const until = (page: Page, words: string) => wait(() => page.getByText(words).first().waitFor())
/** Waits until an attribute changes. */
const changes = (page: Page, selector: string, attribute: string) =>
  wait(async () => {
    const before = await page.locator(selector).first().getAttribute(attribute)
    await page.locator(`${selector}:not([${attribute}="${before}"])`).first().waitFor()
  })

const connected = (page: Page, key: string) =>
  Effect.gen(function* () {
    yield* enter(page, key)
    yield* wait(() => page.locator("#fills tr").first().waitFor())
    yield* wait(() =>
      page
        .locator("#prices li")
        .nth(coins.length - 1)
        .waitFor(),
    )
  })

layer(Stage.layer, { excludeTestServices: true, timeout: "3 minutes" })("The live page in a browser", (it) => {
  it.effect("shows live prices and fills for a pasted key", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page, errors } = yield* tab()
      yield* connected(page, key)
      assert.deepStrictEqual(yield* wait(() => page.locator("#prices li b").allInnerTexts()), coins)
      yield* changes(page, "#prices li:first-child", "data-at")
      yield* changes(page, "#fills tr:first-child", "data-fill")
      yield* wait(() => page.locator("#sources li").first().waitFor({ timeout: 60_000 }))
      assert.match(yield* text(page, "#seq"), /^#\d+$/)
      assert.match(yield* text(page, "#price-lag"), /^\d+(\.\d)? s$/)
      assert.strictEqual(yield* text(page, "#gaps"), "0")
      assert.strictEqual(yield* text(page, "#reconnects"), "0")
      yield* screenshot(page, "board")
      assert.notInclude(page.url(), key)
      assert.deepStrictEqual(yield* wait(() => page.evaluate("Object.values({ ...localStorage })")), [])
      yield* wait(() => page.reload())
      yield* wait(() => page.locator("#fills tr").first().waitFor())
      yield* wait(() => page.getByRole("button", { name: "Use another key" }).click())
      assert.deepStrictEqual(yield* wait(() => page.evaluate("Object.values({ ...sessionStorage })")), [])
      assert.deepStrictEqual(errors, [])
    }),
  )

  it.effect("reconnects and resumes after the connection is cut", () =>
    Effect.gen(function* () {
      const { key, proxy } = yield* Stage
      const { page } = yield* tab({ colorScheme: "dark" })
      yield* connected(page, key)
      proxy.isClosed = true
      assert.isAbove(proxy.cut(), 0)
      yield* until(page, "Retrying in")
      proxy.isClosed = false
      yield* until(page, "Resumed fills where they stopped.")
      yield* until(page, "Resumed prices where they stopped.")
      yield* wait(() => page.locator('#state[data-state="open"]').waitFor())
      yield* wait(() => page.locator("#reconnects", { hasText: /^1$/ }).waitFor())
      yield* changes(page, "#prices li:first-child", "data-at")
      yield* changes(page, "#fills tr:first-child", "data-fill")
      assert.strictEqual(yield* text(page, "#gaps"), "0")
      yield* screenshot(page, "resumed")
    }),
  )

  it.effect("explains that a key is invalid", () =>
    Effect.gen(function* () {
      const { page } = yield* tab()
      yield* enter(page, "psg_live_nonsense")
      yield* until(page, "This key is not known here.")
      yield* wait(() => page.getByLabel("API key").waitFor())
      yield* screenshot(page, "wrong-key")
    }),
  )

  it.effect("offers a single market to plans without the firehose, also on a phone", () =>
    Effect.gen(function* () {
      const { url } = yield* Stage
      const made = yield* call(Number(new URL(url).port), "/v1/keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      })
      assert.strictEqual(made.status, 201)
      const { page } = yield* tab({ viewport: { width: 390, height: 844 }, hasTouch: true })
      yield* enter(page, made.json.api_key)
      yield* until(page, "Follow one market instead")
      yield* wait(() => page.locator("#markets option").first().waitFor({ state: "attached" }))
      const slug = yield* wait(() => page.getByRole("combobox", { name: "Market" }).inputValue())
      assert.match(slug, /-updown-/)
      yield* wait(() => page.getByRole("button", { name: "Follow" }).click())
      yield* wait(() => page.locator("#following", { hasText: slug }).waitFor())
      yield* wait(() => page.locator("#prices li").first().waitFor())
      yield* screenshot(page, "phone")
      assert.strictEqual(yield* wait(() => page.evaluate("document.documentElement.scrollWidth - innerWidth")), 0)
    }),
  )

  it.effect("leaves no keys in the logs", () =>
    Effect.gen(function* () {
      const { program, key } = yield* Stage
      const shown = program.lines.filter((line) => line.includes(key))
      assert.strictEqual(shown.length, 2, "the key to try it, and how")
      assert.notInclude(program.log(), key)
      assert.notInclude(program.log(), "psg_live_nonsense")
    }),
  )
})
