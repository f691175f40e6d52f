import { assert, layer } from "@effect/vitest"
import { Queue } from "bullmq"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { inject } from "vitest"
import { eventually } from "#test/support/eventually.ts"
import { consolePages } from "../../scripts/pictures/pages.ts"
import { confirm, gone, later, press, seen, stored, wait, withClock } from "./support/acts.ts"
import { api } from "./support/api.ts"
import { checkPages } from "./support/checkPages.ts"
import { bothSizes, consoleTab, Stage, sizes, tab } from "./support/Stage.ts"

/** A request that a proxy forwards for another machine. */
const elsewhere = { extraHTTPHeaders: { "x-forwarded-for": "192.0.2.7" } }

/** A queue of the service, and how to fill it with jobs whose payload no worker can read, so that they fail for good. */
const failing = Effect.gen(function* () {
  const redis = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(inject("browserService").redisUrl, { maxRetriesPerRequest: null })),
    (client) => Effect.sync(() => client.disconnect()),
  )
  const queue = new Queue("webhooks-seed", { connection: redis, prefix: "presage:jobs" })
  const untilFailed = (count: number) =>
    eventually(
      `${count} jobs have failed`,
      wait(async () => (await queue.getFailedCount()) === count),
    )
  const add = wait(() => queue.add("webhooks-seed", { wallet: "no wallet" }, { attempts: 1 }))
  return { add, untilFailed }
})

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("The console in a browser", (it) => {
  for (const [size, options] of bothSizes) {
    it.effect(`draws the last hour once processes have reported twice, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* consoleTab("/processes", options)
        yield* wait(() => page.locator(".chart canvas").first().waitFor({ timeout: 60_000 }))
        assert.isAbove(yield* wait(() => page.getByRole("img", { name: "Memory, last hour" }).count()), 0)
      }),
    )

    it.effect(`tunes a setting, explains a wrong value, and resets it, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* consoleTab("/settings", options)
        yield* wait(() => page.getByLabel("Find a setting").fill("status.every"))
        yield* press(page, "Tune status.every")
        yield* wait(() => page.getByLabel("New value").fill("soon"))
        yield* confirm(page, "Apply")
        yield* seen(page, /Not changed/)
        yield* wait(() => page.getByLabel("New value").fill("3s"))
        yield* confirm(page, "Apply")
        yield* seen(page, "live override")
        yield* wait(() => page.locator("td code", { hasText: /^3s$/ }).waitFor())
        yield* press(page, "Tune status.every")
        yield* confirm(page, "Reset")
        yield* wait(() => page.locator("td", { hasText: /^default$/ }).waitFor())
        yield* wait(() => page.locator('nav a[href="/console/audit"]').click())
        yield* seen(page, "3s -> no override")
        yield* seen(page, "console at 127.0.0.1")
      }),
    )

    it.effect(`creates, changes and deactivates an account, on a ${size}`, () =>
      Effect.gen(function* () {
        const name = `Grace on a ${size}`
        const { page } = yield* consoleTab("/accounts", options)
        yield* wait(() => page.getByLabel("Name", { exact: true }).fill(name))
        yield* wait(() => page.getByLabel("Plan").selectOption("starter"))
        yield* press(page, "Create")
        yield* seen(page, /shown only now/)
        const key = yield* wait(() => page.locator(".notice code").innerText())
        assert.notInclude(page.url(), key)
        assert.isArray((yield* api(key, "/v1/keys")).keys)
        yield* press(page, "Hide the key")
        assert.notInclude(yield* wait(() => page.content()), key)

        yield* press(page, `Change ${name}`)
        yield* wait(() => page.getByLabel(/^Requests per minute/).fill("7"))
        yield* confirm(page, "Save")
        yield* wait(() => page.getByLabel("Find an account").fill(name))
        // The list shows other accounts until it is filtered, and one of them may have limits of its own too.
        const row = page.getByRole("row").filter({ hasText: name })
        yield* wait(() => row.locator("td", { hasText: /^own$/ }).waitFor())
        yield* wait(() => row.getByRole("button", { name: "Deactivate" }).click())
        yield* seen(page, /keys are refused/)
        yield* confirm(page, "Deactivate")
        yield* wait(() => page.locator("td .tag", { hasText: "inactive" }).waitFor())
        const refused = Effect.map(api(key, "/v1/keys"), ({ error = "" }) => /inactive/.test(error))
        yield* eventually("its key is refused", refused)
      }),
    )

    it.effect(`shows why jobs failed, retries and drops them, on a ${size}`, () =>
      Effect.gen(function* () {
        const { add, untilFailed } = yield* failing
        yield* add
        yield* add
        yield* untilFailed(2)
        const { page } = yield* consoleTab("/jobs", options)
        yield* press(page, "Failed jobs of webhooks-seed")
        yield* seen(page, /the payload does not decode/)
        yield* press(page, "Drop")
        yield* confirm(page, "Drop")
        yield* seen(page, "Drop all 1")
        yield* press(page, "Retry")
        yield* confirm(page, "Retry")
        yield* wait(() => page.getByRole("dialog").waitFor({ state: "detached" }))
        // It fails again.
        yield* untilFailed(1)
        yield* press(page, "Drop all 1")
        yield* confirm(page, "Drop all")
        yield* seen(page, "No failed jobs.")
        yield* wait(() => page.locator('nav a[href="/console/audit"]').click())
        for (const action of ["retry job", "drop job"]) yield* seen(page, action)
      }),
    )

    it.effect(`verifies the ledger with progress and keeps the result, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* consoleTab("/checks", options)
        yield* seen(page, /^Nothing was checked from here yet\.$|^Result$/)
        const runs = page.locator("tbody tr")
        const before = yield* wait(() => runs.count())
        yield* press(page, "Verify the ledger")
        yield* confirm(page, "Verify")
        yield* wait(() => runs.nth(before).waitFor())
        const newest = runs.first()
        yield* wait(() => newest.locator(".tag", { hasText: /^(done|failed)$/ }).waitFor({ timeout: 90_000 }))
        yield* wait(() => newest.getByText(/all \d+ checks are ok/).waitFor())
      }),
    )

    it.effect(
      `asks for the token from elsewhere, explains a wrong one and an API key, and takes the right one, on a ${size}`,
      () =>
        Effect.gen(function* () {
          const { key } = yield* Stage
          const { token } = inject("browserService")
          const { page } = yield* tab("/console", { ...options, ...elsewhere })
          yield* seen(page, /needs its token/)
          assert.strictEqual(yield* wait(() => page.locator('nav a[href="/console/accounts"]').count()), 0)
          for (const wrong of ["guess", key]) {
            yield* wait(() => page.getByLabel("Token of the console").fill(wrong))
            yield* wait(() => page.keyboard.press("Enter"))
            yield* seen(page, "The token is wrong.")
          }
          yield* wait(() => page.getByLabel("Token of the console").fill(token))
          yield* wait(() => page.keyboard.press("Enter"))
          yield* seen(page, "The last hour")
          assert.notInclude(page.url(), token)
          yield* wait(() => page.reload())
          yield* seen(page, "The last hour")
          yield* press(page, "Forget the token")
          yield* seen(page, /needs its token/)
          assert.isNull(yield* stored(page, "sessionStorage", "presage-console-token"))
        }),
    )

    it.effect(`says that the service is away, keeps what it knew, and recovers by itself, on a ${size}`, () =>
      Effect.gen(function* () {
        const { api: proxy } = yield* Stage
        const { page } = yield* consoleTab("/sources", options)
        yield* withClock(page)
        yield* seen(page, "catalogue")
        proxy.isClosed = true
        proxy.cut()
        yield* later(page)
        yield* seen(page, "The service does not answer.")
        assert.isTrue(yield* wait(() => page.getByText("catalogue").first().isVisible()))
        proxy.isClosed = false
        yield* later(page)
        yield* gone(page, "The service does not answer.")
        yield* seen(page, "catalogue")
      }),
    )

    it.effect(`is reachable by keyboard, and a dialog returns the focus, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* consoleTab("/settings", options)
        yield* wait(() => page.getByLabel("Find a setting").fill("status.every"))
        yield* wait(() => page.getByRole("button", { name: "Tune status.every" }).focus())
        yield* wait(() => page.keyboard.press("Enter"))
        yield* wait(() => page.getByRole("dialog").waitFor())
        yield* wait(() => page.keyboard.press("Escape"))
        yield* wait(() => page.getByRole("dialog").waitFor({ state: "detached" }))
        const focused = yield* wait(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
        assert.strictEqual(focused, "Tune status.every")
      }),
    )
  }

  it.effect("fits every window, light and dark, without serious findings of axe, admitted or not", () =>
    Effect.gen(function* () {
      const refused = yield* tab("/console", { ...sizes.desk, ...elsewhere })
      yield* checkPages(refused, [{ name: "console without a token", path: "/console" }])
      yield* checkPages(yield* consoleTab(), consolePages)
    }),
  )
})
