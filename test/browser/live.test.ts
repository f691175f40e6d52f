import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { call } from "#test/http/support/client.ts"
import { eventually } from "#test/support/eventually.ts"
import { axeFindings, fits } from "./support/axe.ts"
import { enter, Stage, screenshot, tab } from "./support/Stage.ts"

const coins = ["BTC", "ETH", "SOL", "BNB", "XRP", "DOGE", "HYPE"]

/** Dark differs in colours only. */
const rulesFor = { light: undefined, dark: ["color-contrast"] }

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
      assert.match(yield* text(page, "#price-lag"), /^\d+(\.\d)? m?s$/)
      assert.strictEqual(yield* text(page, "#gaps"), "0")
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

  it.effect("begins sparklines with history and shows span and change", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page } = yield* tab()
      yield* connected(page, key)
      const card = page.locator("#prices li").first()
      const points = Effect.map(
        wait(() => card.getAttribute("data-points")),
        (count) => Number(count) > 2,
      )
      yield* eventually("the sparkline has history", points, "1 minute")
      // The page has been open for seconds only.
      assert.match(yield* wait(() => card.locator(".span").innerText()), /^last ([3-9]|\d\d+) min$|^last \d h$/)
      assert.match(yield* wait(() => card.locator(".change").innerText()), /^[+−±]\d+\.\d\d %$/)
    }),
  )

  it.effect("filters fills by side and size, pauses them, and links them to market, wallet and transaction", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page } = yield* tab()
      yield* connected(page, key)
      const first = page.locator("#fills tr").first()
      const targets = yield* wait(() =>
        first.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
      )
      assert.match(targets.at(-2) ?? "", /^\/explore\/wallets\/0x[0-9a-f]{40}$/)
      assert.match(targets.at(-1) ?? "", /\/tx\/0x[0-9a-f]{64}$/)
      yield* wait(() => page.locator('#fills a[href^="/explore/markets/"]').first().waitFor())
      yield* wait(() => page.getByRole("combobox", { name: "Side" }).selectOption("BUY"))
      yield* wait(() => page.getByLabel("Minimum size, $").fill("5"))
      yield* wait(() => page.getByRole("button", { name: "Follow" }).click())
      yield* wait(() => page.waitForURL(/side=BUY&min=5/))
      yield* wait(() => page.locator("#fills tr").first().waitFor({ timeout: 90_000 }))
      const rows = wait(() =>
        page
          .locator("#fills tr")
          .evaluateAll((all) => all.map(({ dataset, innerText }) => ({ usd: Number(dataset.usd), innerText }))),
      )
      const areMatching = Effect.map(
        rows,
        (shown) => shown.length > 0 && shown.every(({ usd, innerText }) => usd >= 5 && innerText.includes("Buy")),
      )
      yield* eventually("only matching fills are shown", areMatching, "90 seconds")
      yield* wait(() => page.getByRole("combobox", { name: "Side" }).selectOption(""))
      yield* wait(() => page.getByLabel("Minimum size, $").fill(""))
      yield* wait(() => page.getByRole("button", { name: "Follow" }).click())
      yield* wait(() => page.locator("#fills tr").first().waitFor())
      yield* wait(() => page.getByRole("button", { name: "Pause" }).click())
      const held = yield* wait(() => page.locator("#fills tr").first().getAttribute("data-fill"))
      yield* wait(() => page.getByRole("button", { name: /^Resume \([1-9]/ }).waitFor({ timeout: 90_000 }))
      assert.strictEqual(yield* wait(() => page.locator("#fills tr").first().getAttribute("data-fill")), held)
      yield* wait(() => page.getByRole("button", { name: /^Resume/ }).click())
      yield* wait(() => page.locator(`#fills tr:first-child:not([data-fill="${held}"])`).waitFor())
    }),
  )

  it.effect("explains in place that a key is invalid or that a slug is unknown", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page } = yield* tab()
      yield* enter(page, "psg_live_nonsense")
      yield* wait(() => page.getByRole("alert").waitFor())
      yield* enter(page, key)
      yield* wait(() => page.locator("#fills tr").first().waitFor())
      yield* wait(() => page.getByRole("combobox", { name: "Market" }).fill("no-such-market"))
      yield* wait(() => page.getByRole("button", { name: "Follow" }).click())
      yield* wait(() => page.locator("#fills-problem", { hasText: "No market has this slug" }).waitFor())
      assert.strictEqual(yield* wait(() => page.locator("#fills tr").count()), 0)
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
      const offered = page.locator("#live-markets option").first()
      yield* wait(() => offered.waitFor({ state: "attached" }))
      const slug = yield* wait(() => offered.getAttribute("value"))
      assert.match(String(slug), /-updown-/)
      yield* wait(() => page.getByRole("combobox", { name: "Market" }).fill(String(slug)))
      yield* wait(() => page.getByRole("button", { name: "Follow" }).click())
      yield* wait(() => page.locator("#following", { hasText: String(slug) }).waitFor())
      yield* wait(() => page.locator("#prices li").first().waitFor())
      yield* screenshot(page, "phone")
      assert.strictEqual(yield* wait(() => page.evaluate("document.documentElement.scrollWidth - innerWidth")), 0)
    }),
  )

  it.effect("fits every screen without findings of axe, light and dark", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page } = yield* tab({ bypassCSP: true, reducedMotion: "reduce" })
      yield* connected(page, key)
      for (const width of [390, 768, 1440]) {
        yield* wait(() => page.setViewportSize({ width, height: 900 }))
        yield* fits(page, `the page at ${width} px`)
      }
      for (const colorScheme of ["light", "dark"] as const) {
        yield* wait(() => page.emulateMedia({ colorScheme }))
        assert.deepStrictEqual(yield* axeFindings(page, rulesFor[colorScheme]), [], colorScheme)
      }
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
