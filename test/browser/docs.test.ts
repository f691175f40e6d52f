import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { docsPages } from "../../scripts/pictures/pages.ts"
import { heading, press, seen, wait } from "./support/acts.ts"
import { api } from "./support/api.ts"
import { checkPages } from "./support/checkPages.ts"
import { allowPerMinute, bothSizes, newAccount, Stage, signedIn, tab } from "./support/Stage.ts"

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("The documentation page", (it) => {
  for (const [size, options] of bothSizes) {
    it.effect(`finds an operation by search and tries it with a key that stays after a reload, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const { page, errors } = yield* tab("/docs", options)
        yield* heading(page, `Presage ${JSON.parse(readFileSync("package.json", "utf8")).version}`)
        yield* wait(() => page.keyboard.press("/"))
        yield* wait(() => page.keyboard.type("largest trades wal"))
        yield* seen(page, "Nothing contains all of these words.")
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

    it.effect(`says why a request is refused, and that the service is away, on a ${size}`, () =>
      Effect.gen(function* () {
        const { api: proxy, key } = yield* Stage
        const free = yield* newAccount("free")
        const revoked = yield* api(key, "/v1/keys", "POST", { name: "brief" })
        yield* api(key, `/v1/keys/${revoked.id}`, "DELETE")
        const { page } = yield* tab("/docs/reference/tradeLists.all", options)
        yield* heading(page, "Trades")
        for (const [given, status, words] of [
          ["psg_live_nonsense", 401, /key/i],
          [revoked.api_key, 403, /inactive/],
          [free.key, 402, /paid plan/],
        ] as const) {
          yield* wait(() => page.getByLabel("API key").fill(given))
          yield* press(page, "Send the request")
          yield* seen(page, `Status ${status}`)
          yield* wait(() => page.getByRole("alert").filter({ hasText: words }).waitFor())
        }
        const limited = yield* newAccount("growth")
        yield* allowPerMinute(limited, 1)
        yield* wait(() => page.getByLabel("API key").fill(limited.key))
        yield* press(page, "Send the request")
        yield* seen(page, "Status 200")
        yield* press(page, "Send the request")
        yield* seen(page, "Status 429")
        proxy.isClosed = true
        proxy.cut()
        yield* press(page, "Send the request")
        yield* seen(page, "The service does not answer.")
        proxy.isClosed = false
        yield* wait(() => page.getByLabel("API key").fill(key))
        yield* press(page, "Send the request")
        yield* seen(page, "Status 200")
      }),
    )

    it.effect(`cuts a large answer and offers it as a file, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const { page } = yield* tab("/docs/reference/tradeLists.all", options)
        yield* wait(() => page.getByLabel("API key").fill(key))
        yield* wait(() => page.locator("#parameter-min_amount_usd").fill(""))
        yield* wait(() => page.locator("#parameter-limit").fill("300"))
        yield* wait(() => page.getByRole("button", { name: "Send the request" }).click())
        yield* wait(() => page.getByText("Status 200").waitFor())
        yield* seen(page, "are shown. Download it to see the rest.")
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

    it.effect(`writes the request in three languages, with what the form says, on a ${size}`, () =>
      Effect.gen(function* () {
        const { url } = yield* Stage
        const { page } = yield* tab("/docs/reference/tradeLists.all", options)
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

    it.effect(`shows guides, streams and webhooks, and links between them, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page, errors } = yield* tab("/docs/guides/units", options)
        yield* heading(page, "Units and times")
        const contents = page.getByRole("navigation", { name: "Documentation" })
        const guide = contents.getByRole("link", { name: "REST API" })
        if (size === "phone") yield* press(page, "Contents")
        yield* wait(() => guide.click())
        yield* heading(page, "REST API")
        if (size === "phone") yield* wait(() => guide.waitFor({ state: "hidden" }))
        yield* wait(() => page.goto(`${page.url().split("/guides")[0]}/streams/subscribe`))
        yield* heading(page, "subscribe")
        yield* wait(() => page.goto(page.url().replace("streams/subscribe", "webhooks/large_trade")))
        yield* heading(page, "large_trade")
        yield* seen(page, "X-Webhook-Signature")
        assert.deepStrictEqual(errors, [])
      }),
    )
  }

  it.effect("fits every window, light and dark, without serious findings of axe", () =>
    Effect.gen(function* () {
      yield* checkPages(yield* signedIn("/docs"), docsPages)
    }),
  )
})
