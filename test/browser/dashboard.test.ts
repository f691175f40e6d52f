import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { dashboardPages } from "../../scripts/pictures/pages.ts"
import { enter, gone, heading, later, press, seen, stored, untilAllowed, wait, withClock } from "./support/acts.ts"
import { api } from "./support/api.ts"
import { checkPages } from "./support/checkPages.ts"
import { go, receiver, usage } from "./support/dashboard.ts"
import { allowPerMinute, bothSizes, newAccount, Stage, sizes, tab } from "./support/Stage.ts"

const exact = { exact: true }

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("The dashboard in a browser", (it) => {
  for (const [size, options] of bothSizes) {
    it.effect(`refuses bad and revoked keys, and forgets the key on request, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const { page, errors } = yield* tab("/dashboard", options)
        yield* enter(page, "psg_live_nonsense")
        yield* seen(page, "Missing or invalid API key")
        const { id, api_key: brief } = yield* api(key, "/v1/keys", "POST", { name: "brief" })
        yield* enter(page, brief)
        yield* heading(page, "Usage")
        yield* withClock(page)
        yield* seen(page, "Requests per minute")
        assert.strictEqual(yield* stored(page, "sessionStorage", "presage-key"), brief)
        assert.deepStrictEqual(yield* wait(() => page.context().cookies()), [])
        yield* api(key, `/v1/keys/${id}`, "DELETE")
        yield* later(page)
        yield* seen(page, "Invalid or inactive API key")
        yield* wait(() => page.getByRole("alert").getByRole("button", { name: "Use another key" }).first().click())
        yield* heading(page, "Sign in with an API key")
        assert.isNull(yield* stored(page, "sessionStorage", "presage-key"))
        yield* enter(page, brief)
        yield* seen(page, "Invalid or inactive API key")
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`shows usage by day, group and key, and the limits now, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const { page, errors, asked } = yield* usage(options)
        yield* seen(page, "Requests per minute")
        const chart = page.getByRole("img", { name: /^Requests of each UTC day/ })
        yield* wait(() => chart.locator("canvas").waitFor())
        yield* wait(() => page.getByRole("cell", { name: "usage" }).waitFor())
        yield* wait(() => page.getByRole("combobox", { name: "Group" }).selectOption("usage"))
        yield* wait(() => page.getByRole("img", { name: /group usage$/ }).waitFor())
        yield* wait(() => page.getByRole("region", { name: "Usage by key" }).getByRole("row").nth(1).waitFor())
        assert.isAbove(asked.length, 0)
        for (const address of [...asked, page.url()]) assert.notInclude(address, key)
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`creates, renames, rotates and revokes keys on a ${size}`, () =>
      Effect.gen(function* () {
        const { page, errors } = yield* usage(options)
        yield* go(page, "Keys")
        yield* press(page, "Create a key")
        yield* wait(() => page.getByLabel("Name", exact).fill("laptop"))
        yield* wait(() => page.keyboard.press("Enter"))
        const made = yield* wait(() => page.locator(".secret code").innerText())
        assert.match(made, /^psg_live_/)
        yield* wait(() => page.keyboard.press("Escape"))
        const { keys } = yield* api(made, "/v1/keys")
        assert.include(
          keys.map(({ name }: { name: string }) => name),
          "laptop",
        )
        yield* press(page, "Rename laptop")
        yield* wait(() => page.getByLabel("Name", exact).fill("desktop"))
        yield* press(page, "Save")
        yield* press(page, "Rotate desktop")
        yield* press(page, "Rotate")
        const rotated = yield* wait(() => page.locator(".secret code").innerText())
        assert.notStrictEqual(rotated, made)
        yield* press(page, "Close")
        yield* press(page, "Revoke desktop")
        yield* seen(page, "refused at once, for good")
        yield* press(page, "Cancel")
        assert.isArray((yield* api(rotated, "/v1/keys")).keys)
        yield* press(page, "Revoke desktop")
        yield* press(page, "Revoke")
        yield* wait(() => page.getByRole("button", { name: "Revoke desktop" }).waitFor({ state: "detached" }))
        assert.match((yield* api(rotated, "/v1/keys")).error, /inactive/)
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`adds wallets to the copy pool, shows their scores and removes them, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const board = yield* api(key, "/v3/leaderboard?sort=volume&limit=1")
        const wallet = String(board.leaderboard[0].wallet)
        const { page, errors } = yield* usage(options)
        yield* go(page, "Copy pool")
        yield* seen(page, "No wallets yet")
        yield* wait(() => page.getByLabel("Addresses", exact).fill(wallet))
        yield* press(page, "Add")
        yield* seen(page, "1 added")
        yield* seen(page, /^(not )?toxic$/, 120_000)
        yield* wait(() => page.getByRole("img", { name: /^Copy P&L over/ }).waitFor())
        yield* press(page, /^Remove/)
        yield* seen(page, "No wallets yet")
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`plays streams, keeps the newest frames, and goes on after a cut, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key, gateway } = yield* Stage
        const { page, asked } = yield* usage(options)
        yield* go(page, "Streams")
        yield* wait(() => page.getByLabel("snapshot_count", exact).fill("200"))
        yield* wait(() => page.getByLabel("TypeScript code", exact).getByText('"snapshot_count": 200').waitFor())
        yield* wait(() => page.getByRole("combobox", { name: "Language" }).selectOption("Python"))
        yield* wait(() => page.getByLabel("Python code", exact).getByText("additional_headers").waitFor())
        yield* wait(() => page.getByRole("combobox", { name: "Language" }).selectOption("curl"))
        yield* wait(() => page.getByLabel("curl code", exact).getByText("--upload-file").waitFor())
        yield* press(page, "Subscribe")
        yield* seen(page, "newest 200 shown")
        assert.strictEqual(yield* wait(() => page.locator("ol.frames > li").count()), 200)
        gateway.isClosed = true
        gateway.cut()
        yield* seen(page, "Trying again in")
        gateway.isClosed = false
        yield* seen(page, "Connected.")
        yield* press(page, "Stop")
        yield* seen(page, "Stopped.")
        for (const address of asked) assert.notInclude(address, key)
        assert.isTrue(asked.some((address) => address.startsWith("ws://")))
      }),
    )

    it.effect(`plays events that are certain, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* usage(options)
        yield* go(page, "Streams")
        yield* wait(() => page.getByRole("combobox", { name: "Add a filter" }).selectOption("confirmations"))
        yield* wait(() => page.getByRole("combobox", { name: "confirmations" }).selectOption("3"))
        yield* wait(() => page.getByLabel("TypeScript code", exact).getByText('"confirmations": 3').waitFor())
        yield* press(page, "Subscribe")
        // A fill that waited says so; an acknowledgement is a frame of another type.
        const fill = page.locator("ol.frames > li").filter({ has: page.getByText("event", exact) })
        yield* wait(() => fill.first().locator("summary").click())
        // By now others may have come before it.
        const opened = page.locator("ol.frames details[open]")
        yield* wait(() => opened.first().getByText('"confirmations": 3').waitFor())
      }),
    )

    it.effect(`tells a free account what its plan lacks, and shows it nothing of another account, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* Stage
        const { key: free } = yield* newAccount("free")
        const hook = `http://127.0.0.1:9/private-${size}`
        const { id } = yield* api(key, "/v3/webhooks", "POST", { url: hook, event_types: ["market_created"] })
        const { page } = yield* usage(options)
        yield* go(page, "Webhooks")
        yield* seen(page, hook)
        yield* press(page, "Use another key")
        yield* enter(page, free)
        yield* wait(() => page.getByRole("navigation", { name: "Dashboard" }).waitFor())
        for (const section of ["Webhooks", "Copy pool"]) {
          yield* go(page, section)
          yield* wait(() => page.getByRole("alert").filter({ hasText: /plan/i }).first().waitFor())
          assert.notInclude(yield* wait(() => page.content()), "9/private")
        }
        yield* wait(() => page.goto(page.url().replace("copy-pool", `webhooks/${id}`)))
        yield* wait(() => page.getByRole("alert").first().waitFor())
        assert.notInclude(yield* wait(() => page.content()), "9/private")
        yield* go(page, "Keys")
        yield* seen(page, "this tab")
        assert.strictEqual(yield* wait(() => page.getByRole("row").count()), 2)
        yield* api(key, `/v3/webhooks/${id}`, "DELETE")
      }),
    )

    it.effect(`says that the service is away or limits requests, and recovers by itself, on a ${size}`, () =>
      Effect.gen(function* () {
        const { api: proxy } = yield* Stage
        const account = yield* newAccount("growth")
        const { page } = yield* usage(options, account.key)
        yield* withClock(page)
        yield* seen(page, "Requests this month")
        yield* seen(page, "Requests per minute")
        proxy.isClosed = true
        proxy.cut()
        yield* later(page)
        yield* seen(page, "The service does not answer.")
        assert.isTrue(yield* wait(() => page.getByText("Requests this month").isVisible()), "old data stays")
        proxy.isClosed = false
        yield* later(page)
        yield* gone(page, "The service does not answer.")
        yield* allowPerMinute(account, 1)
        yield* later(page)
        yield* seen(page, /Trying again in \d+ s\./)
        assert.isTrue(yield* wait(() => page.getByText("Requests this month").isVisible()), "old data stays")
        yield* allowPerMinute(account, null)
        yield* untilAllowed(page)
      }),
    )
  }

  it.effect("shows one account nothing of another, also where both are growth accounts", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { key: other } = yield* newAccount("growth")
      const board = yield* api(key, "/v3/leaderboard?limit=1")
      const wallet = String(board.leaderboard[0].wallet)
      yield* api(key, "/v1/keys", "POST", { name: "secret plans" })
      const hook = "http://127.0.0.1:9/confidential"
      const { id } = yield* api(key, "/v3/webhooks", "POST", { url: hook, event_types: ["market_created"] })
      yield* api(key, "/v2/copy-pnl/wallets", "POST", { addresses: [wallet] })
      const { page } = yield* usage()
      for (const [section, own] of [
        ["Keys", "secret plans"],
        ["Webhooks", hook],
        ["Copy pool", wallet.slice(0, 6)],
      ] as const) {
        yield* go(page, section)
        yield* seen(page, own)
        yield* press(page, "Use another key")
        yield* enter(page, other)
        yield* seen(page, section === "Keys" ? "this tab" : /^No (webhooks|wallets) yet/)
        assert.notInclude(yield* wait(() => page.content()), own)
        yield* press(page, "Use another key")
        yield* enter(page, key)
      }
      yield* api(key, `/v3/webhooks/${id}`, "DELETE")
      yield* api(key, "/v2/copy-pnl/wallets", "DELETE", { addresses: [wallet] })
    }),
  )

  it.effect("fits every window, light and dark, without serious findings of axe, signed in or not", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { address } = yield* receiver
      const body = { url: address, event_types: ["trade"], filters: { min_amount_usd: 1 } }
      const { id } = yield* api(key, "/v3/webhooks", "POST", body)
      yield* api(key, `/v3/webhooks/${id}/test`, "POST")
      yield* checkPages(yield* tab("/dashboard", sizes.desk), [{ name: "sign in", path: "/dashboard" }])
      yield* checkPages(yield* usage(), dashboardPages({ webhook: id }))
      yield* api(key, `/v3/webhooks/${id}`, "DELETE")
    }).pipe(Effect.scoped),
  )
})
