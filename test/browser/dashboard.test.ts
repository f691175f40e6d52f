import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { httpServer } from "#test/webhooks/sending.ts"
import { api, assertAccessible, go, heading, press, seen, signedIn, wait } from "./support/dashboard.ts"
import { enter, Stage, screenshot, tab } from "./support/Stage.ts"

const exact = { exact: true }

const sizes = [
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { name: "desk", viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
] as const

const views = [
  ["Usage", "/dashboard", "By group"],
  ["Keys", "/dashboard/keys", "Keys of the account"],
  ["Webhooks", "/dashboard/webhooks", "Webhooks of the account"],
  ["Create a webhook", "/dashboard/webhooks/new", "large_trade"],
  ["Copy pool", "/dashboard/copy-pool", "Wallets"],
  ["Streams", "/dashboard/streams", "Subscription"],
] as const

layer(Stage.layer, { excludeTestServices: true, timeout: "3 minutes" })("The dashboard in a browser", (it) => {
  it.effect("refuses bad and revoked keys, and forgets the key on request", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page, errors } = yield* tab({}, "/dashboard")
      yield* enter(page, "psg_live_nonsense")
      yield* seen(page, "Missing or invalid API key")
      const { id, api_key: brief } = yield* api(key, "/v1/keys", "POST", { name: "brief" })
      yield* enter(page, brief)
      yield* heading(page, "Usage")
      assert.strictEqual(yield* wait(() => page.evaluate("sessionStorage.getItem('presage-key')")), brief)
      assert.deepStrictEqual(yield* wait(() => page.context().cookies()), [])
      yield* api(key, `/v1/keys/${id}`, "DELETE")
      yield* seen(page, "Invalid or inactive API key")
      yield* wait(() => page.getByRole("alert").getByRole("button", { name: "Use another key" }).first().click())
      yield* wait(() => page.getByRole("heading", { name: "Sign in with an API key" }).waitFor())
      assert.isNull(yield* wait(() => page.evaluate("sessionStorage.getItem('presage-key')")))
      yield* enter(page, brief)
      yield* seen(page, "Invalid or inactive API key")
      assert.isTrue(
        errors.every((error) => /status of 40[13]/.test(error)),
        errors.join("\n"),
      )
    }),
  )

  it.effect("shows usage and limits, with the key in no address and little to load", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page, errors, asked } = yield* signedIn(key)
      yield* seen(page, "Requests per minute")
      yield* wait(() =>
        page
          .getByRole("img", { name: /^Requests of each UTC day/ })
          .locator("canvas")
          .waitFor(),
      )
      yield* wait(() => page.getByRole("cell", { name: "usage" }).waitFor({ timeout: 60_000 }))
      yield* wait(() => page.getByRole("combobox", { name: "Group" }).selectOption("usage"))
      yield* wait(() => page.getByRole("img", { name: /group usage$/ }).waitFor())
      yield* screenshot(page, "dashboard-usage")
      const loaded = yield* wait(() =>
        page.evaluate(
          "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)",
        ),
      )
      assert.isAbove(Number(loaded), 0)
      assert.isAtMost(Number(loaded), 150_000)
      assert.isAbove(asked.length, 0)
      for (const address of [...asked, page.url()]) assert.notInclude(address, key)
      assert.deepStrictEqual(errors, [])
    }),
  )

  it.effect("creates, renames, rotates and revokes keys", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page, errors } = yield* signedIn(key)
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
      yield* screenshot(page, "dashboard-keys")
      assert.deepStrictEqual(errors, [])
    }),
  )

  it.effect("creates a webhook with a preview, tests it, and shows each attempt and its payload", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      let received = 0
      const { port } = yield* httpServer((_, __, response) => {
        received += 1
        response.writeHead(200).end("thank you")
      })
      const { page, errors } = yield* signedIn(key)
      yield* go(page, "Webhooks")
      yield* wait(() => page.getByRole("button", { name: "Create a webhook" }).click())
      yield* wait(() => page.getByLabel("Address", exact).fill(`http://127.0.0.1:${port}/hook`))
      yield* wait(() => page.getByRole("checkbox", { name: /^large_trade/ }).check())
      yield* seen(page, "required")
      yield* wait(() => page.getByRole("checkbox", { name: /^large_trade/ }).uncheck())
      yield* wait(() => page.getByRole("checkbox", { name: /^trade/ }).check())
      yield* wait(() => page.getByLabel("min_amount_usd", exact).fill("1"))
      yield* press(page, "Preview")
      yield* seen(page, "would have been sent")
      yield* screenshot(page, "dashboard-webhook-form")
      yield* press(page, "Create")
      assert.match(yield* wait(() => page.locator(".secret code").innerText()), /^whsec_/)
      yield* press(page, "Close")
      yield* heading(page, "Webhook")
      yield* press(page, "Send a test")
      yield* seen(page, "The test was delivered: status 200")
      assert.isAbove(received, 0)
      const delivered = page
        .getByRole("row")
        .filter({ hasText: "delivered" })
        .filter({ has: page.getByText("Redeliver") })
      yield* wait(() => delivered.first().waitFor({ timeout: 120_000 }))
      yield* press(page, "Pause")
      yield* press(page, "Resume")
      yield* wait(() => page.getByRole("button", { name: "Pause" }).waitFor())
      yield* wait(() => delivered.first().getByRole("button", { name: "View" }).click())
      yield* seen(page, '"amount_usd"')
      yield* seen(page, "thank you")
      yield* screenshot(page, "dashboard-attempt")
      yield* press(page, "Close")
      yield* wait(() => delivered.last().getByRole("button", { name: "Redeliver" }).click())
      yield* seen(page, "is queued again")
      yield* press(page, "Replay")
      yield* wait(() => page.getByRole("dialog").getByRole("button", { name: "Replay" }).click())
      yield* seen(page, "deliveries are queued again")
      yield* press(page, "Rotate secret")
      yield* press(page, "Rotate")
      assert.match(yield* wait(() => page.locator(".secret code").innerText()), /^whsec_/)
      yield* press(page, "Close")
      yield* screenshot(page, "dashboard-webhook")
      yield* go(page, "Webhooks")
      yield* wait(() => page.getByRole("row", { name: new RegExp(`${port}/hook.*100 %`) }).waitFor())
      yield* wait(() => page.getByRole("link", { name: `http://127.0.0.1:${port}/hook` }).click())
      yield* press(page, "Delete")
      yield* wait(() => page.getByRole("dialog").getByRole("button", { name: "Delete" }).click())
      yield* heading(page, "Webhooks")
      yield* seen(page, "No webhooks yet")
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped),
  )

  it.effect("adds wallets to the copy pool, shows their scores and removes them", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const board = yield* api(key, "/v3/leaderboard?sort=volume&limit=1")
      const wallet = /0x[0-9a-f]{40}/.exec(JSON.stringify(board))?.[0] ?? ""
      const { page, errors } = yield* signedIn(key)
      yield* go(page, "Copy pool")
      yield* seen(page, "No wallets yet")
      yield* wait(() => page.getByLabel("Addresses", exact).fill(wallet))
      yield* press(page, "Add")
      yield* seen(page, "1 added")
      yield* seen(page, /^(not )?toxic$/, 120_000)
      yield* wait(() => page.getByRole("img", { name: /^Copy P&L over/ }).waitFor())
      yield* screenshot(page, "dashboard-copy-pool")
      yield* press(page, /^Remove/)
      yield* seen(page, "No wallets yet")
      assert.deepStrictEqual(errors, [])
    }),
  )

  it.effect("plays streams, keeps the newest frames, and goes on after a cut", () =>
    Effect.gen(function* () {
      const { key, proxy } = yield* Stage
      const { page, asked } = yield* signedIn(key)
      yield* go(page, "Streams")
      yield* wait(() => page.getByLabel("snapshot_count", exact).fill("200"))
      yield* wait(() => page.getByLabel("TypeScript code", exact).getByText('"snapshot_count": 200').waitFor())
      yield* wait(() => page.getByRole("combobox", { name: "Language" }).selectOption("Python"))
      yield* wait(() => page.getByLabel("Python code", exact).getByText("additional_headers").waitFor())
      yield* press(page, "Subscribe")
      yield* seen(page, "newest 200 shown", 60_000)
      assert.strictEqual(yield* wait(() => page.locator("ol.frames > li").count()), 200)
      yield* screenshot(page, "dashboard-streams")
      proxy.isClosed = true
      proxy.cut()
      yield* seen(page, "Trying again in")
      proxy.isClosed = false
      yield* seen(page, "Connected.")
      yield* press(page, "Stop")
      yield* seen(page, "Stopped.")
      for (const address of asked) assert.notInclude(address, key)
      assert.isTrue(asked.some((address) => address.startsWith("ws://")))
    }),
  )

  it.effect("tells a free account what its plan lacks, and shows it nothing of another account", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { api_key: free } = yield* api(undefined, "/v1/keys", "POST", { name: "somebody else" })
      yield* api(key, "/v3/webhooks", "POST", { url: "http://127.0.0.1:9/private", event_types: ["market_created"] })
      const { page } = yield* signedIn(key)
      yield* go(page, "Webhooks")
      yield* seen(page, "http://127.0.0.1:9/private")
      yield* press(page, "Use another key")
      yield* enter(page, free)
      yield* wait(() => page.getByRole("navigation", { name: "Dashboard" }).waitFor())
      for (const section of ["Webhooks", "Copy pool"]) {
        yield* go(page, section)
        yield* wait(() => page.getByRole("alert").filter({ hasText: /plan/i }).first().waitFor())
        assert.notInclude(yield* wait(() => page.content()), "9/private")
      }
      yield* go(page, "Keys")
      yield* seen(page, "somebody else")
      assert.strictEqual(yield* wait(() => page.getByRole("row").count()), 2)
      assert.notInclude(yield* wait(() => page.content()), "demo")
    }),
  )

  it.effect("says that the service is away or limits requests, and recovers by itself", () =>
    Effect.gen(function* () {
      const { key } = yield* Stage
      const { page } = yield* signedIn(key)
      yield* wait(() => page.getByText("Requests this month").waitFor())
      yield* wait(() => page.route("**/v1/**", (route) => route.abort()))
      yield* seen(page, "The service does not answer.")
      assert.isTrue(yield* wait(() => page.getByText("Requests this month").isVisible()), "old data stays")
      yield* wait(() => page.unroute("**/v1/**"))
      yield* wait(() => page.getByText("The service does not answer.").first().waitFor({ state: "detached" }))
      const busy = { status: 429, headers: { "retry-after": "1" }, json: { error: "Too many requests." } }
      yield* wait(() => page.route("**/v1/**", (route) => route.fulfill(busy)))
      yield* seen(page, "Trying again in 1 s.")
      yield* wait(() => page.unroute("**/v1/**"))
      yield* wait(() => page.getByText("Too many requests.").first().waitFor({ state: "detached" }))
    }),
  )

  for (const { name, ...size } of sizes)
    it.effect(`has no serious finding of axe and fits its window: ${name}`, () =>
      Effect.gen(function* () {
        const { key, url } = yield* Stage
        const { page } = yield* tab({ ...size, bypassCSP: true }, "/dashboard")
        yield* assertAccessible(page, "sign in")
        yield* enter(page, key)
        yield* heading(page, "Usage")
        for (const [title, path, words] of views) {
          yield* wait(() => page.goto(`${url}${path}`))
          yield* heading(page, title)
          yield* seen(page, words)
          yield* assertAccessible(page, title)
          yield* screenshot(page, `dashboard-${name}-${title.replaceAll(" ", "-")}`)
        }
      }),
    )
})
