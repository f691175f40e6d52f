import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { inject } from "vitest"
import { eventually } from "#test/support/eventually.ts"
import { enter, seen, stored, wait } from "./support/acts.ts"
import { bothSizes, newAccount, Stage, serviceLog, signedIn, tab } from "./support/Stage.ts"

const coins = ["BTC", "ETH", "SOL", "BNB", "XRP", "DOGE", "HYPE"]

const text = (page: Page, selector: string) => wait(() => page.innerText(selector))
/** Waits until an attribute changes. */
const changes = (page: Page, selector: string, attribute: string) =>
  wait(async () => {
    const before = await page.locator(selector).first().getAttribute(attribute)
    await page.locator(`${selector}:not([${attribute}="${before}"])`).first().waitFor()
  })

/** Prices of every coin and fills have arrived. */
const connected = (page: Page) =>
  Effect.gen(function* () {
    yield* wait(() => page.locator("#fills tr").first().waitFor())
    yield* wait(() =>
      page
        .locator("#prices li")
        .nth(coins.length - 1)
        .waitFor(),
    )
  })

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("The live page in a browser", (it) => {
  for (const [size, options] of bothSizes) {
    it.effect(`shows live prices and fills for a pasted key, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        // The address of the page before it became part of the explorer.
        const { page, errors } = yield* tab("/live", options)
        yield* enter(page, key)
        yield* connected(page)
        assert.deepStrictEqual(yield* wait(() => page.locator("#prices li b").allInnerTexts()), coins)
        yield* changes(page, "#prices li:first-child", "data-at")
        yield* changes(page, "#fills tr:first-child", "data-fill")
        yield* wait(() => page.locator("#sources li").first().waitFor({ timeout: 60_000 }))
        assert.match(yield* text(page, "#seq"), /^#\d+$/)
        assert.match(yield* text(page, "#price-lag"), /^\d+(\.\d)? m?s$/)
        assert.strictEqual(yield* text(page, "#gaps"), "0")
        assert.notInclude(page.url(), key)
        assert.deepStrictEqual(yield* wait(() => page.evaluate("Object.values({ ...localStorage })")), [])
        yield* wait(() => page.reload())
        yield* wait(() => page.locator("#fills tr").first().waitFor())
        yield* wait(() => page.getByRole("button", { name: "Use another key" }).click())
        assert.isNull(yield* stored(page, "sessionStorage", "presage-key"))
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`reconnects and resumes after the connection is cut, on a ${size}`, () =>
      Effect.gen(function* () {
        const { gateway } = yield* Stage
        const { page } = yield* signedIn("/explore/live", options)
        yield* connected(page)
        gateway.isClosed = true
        assert.isAbove(gateway.cut(), 0)
        yield* seen(page, "Retrying in")
        gateway.isClosed = false
        yield* seen(page, "Resumed fills where they stopped.")
        yield* seen(page, "Resumed prices where they stopped.")
        yield* wait(() => page.locator('#state[data-state="open"]').waitFor())
        yield* wait(() => page.locator("#reconnects", { hasText: /^1$/ }).waitFor())
        yield* changes(page, "#prices li:first-child", "data-at")
        yield* changes(page, "#fills tr:first-child", "data-fill")
        assert.strictEqual(yield* text(page, "#gaps"), "0")
      }),
    )

    it.effect(`begins sparklines with history and shows span and change, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* signedIn("/explore/live", options)
        yield* connected(page)
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

    it.effect(
      `filters fills by side and size, pauses them, and links them to market, wallet and transaction, on a ${size}`,
      () =>
        Effect.gen(function* () {
          const { page } = yield* signedIn("/explore/live", options)
          yield* connected(page)
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
          // The list begins again with none when the side is chosen, and once more when the size is sent: only a small fill
          // is a fill of the last list.
          const areSmall = Effect.map(rows, (shown) => shown.some(({ usd }) => usd < 5))
          yield* eventually("a fill is shown that the minimum size hid", areSmall, "90 seconds")
          yield* wait(() => page.getByRole("button", { name: "Pause" }).click())
          const held = yield* wait(() => page.locator("#fills tr").first().getAttribute("data-fill"))
          yield* wait(() => page.getByRole("button", { name: /^Resume \([1-9]/ }).waitFor({ timeout: 90_000 }))
          assert.strictEqual(yield* wait(() => page.locator("#fills tr").first().getAttribute("data-fill")), held)
          yield* wait(() => page.getByRole("button", { name: /^Resume/ }).click())
          yield* wait(() => page.locator(`#fills tr:first-child:not([data-fill="${held}"])`).waitFor())
        }),
    )

    it.effect(`explains in place that a key is invalid or that a slug is unknown, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const { page } = yield* tab("/explore/live", options)
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

    it.effect(`offers a single market to plans without the firehose, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* newAccount("free")
        const { page } = yield* signedIn("/explore/live", options, key)
        yield* seen(page, "Follow one market instead")
        const offered = page.locator("#live-markets option").first()
        yield* wait(() => offered.waitFor({ state: "attached" }))
        const slug = yield* wait(() => offered.getAttribute("value"))
        assert.match(String(slug), /-updown-/)
        yield* wait(() => page.getByRole("combobox", { name: "Market" }).fill(String(slug)))
        yield* wait(() => page.getByRole("button", { name: "Follow" }).click())
        yield* wait(() => page.locator("#following", { hasText: String(slug) }).waitFor())
        yield* wait(() => page.locator("#prices li").first().waitFor())
        assert.strictEqual(yield* wait(() => page.evaluate("document.documentElement.scrollWidth - innerWidth")), 0)
      }),
    )
  }

  it.effect("leaves no keys in the logs", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { printedKey } = inject("browserService")
      const { lines, log } = yield* serviceLog
      assert.strictEqual(lines.filter((line) => line.includes(printedKey)).length, 2, "the key to try it, and how")
      for (const secret of [key, "psg_live_nonsense"]) assert.notInclude(`${lines.join()} ${log}`, secret)
      assert.notInclude(log, printedKey)
    }),
  )
})
