import { assert, layer } from "@effect/vitest"
import { Queue } from "bullmq"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { call } from "#test/http/support/client.ts"
import { eventually } from "#test/support/eventually.ts"
import { scrollsSideways, seriousFindings } from "./support/axe.ts"
import { ConsoleStage, consoleTab, token } from "./support/ConsoleStage.ts"
import { screenshot } from "./support/Stage.ts"

const wait = <A>(run: () => Promise<A>) => Effect.promise(run)
const until = (page: Page, words: string | RegExp) => wait(() => page.getByText(words).first().waitFor())
const press = (page: Page, name: string | RegExp) => wait(() => page.getByRole("button", { name }).first().click())
/** The button of the open dialog. */
const confirm = (page: Page, name: string) =>
  wait(() => page.getByRole("dialog").getByRole("button", { name, exact: true }).click())

/** A request that a proxy forwards for another machine. */
const elsewhere = { extraHTTPHeaders: { "x-forwarded-for": "192.0.2.7" } }

const sections = [
  ["", /Everything works|What is wrong now/],
  ["/sources", "catalogue"],
  ["/actors", "chain-follower"],
  ["/jobs", "webhooks-poll"],
  ["/events", "Relay lag"],
  ["/deliveries", "No webhook has a backlog."],
  ["/processes", "reports"],
  ["/limits", "Accounts with the most requests"],
  ["/settings", "status.every"],
  ["/accounts", "demo"],
  ["/checks", "Verify the ledger"],
  ["/audit", /Nothing was changed yet|Outcome/],
] as const

/** A job whose payload no worker can read, so that it fails for good. */
const failedJob = Effect.gen(function* () {
  const { redis } = yield* ConsoleStage
  const queue = new Queue("webhooks-seed", { connection: redis, prefix: "presage:jobs" })
  const before = yield* wait(() => queue.getFailedCount())
  yield* wait(() => queue.add("webhooks-seed", { wallet: "no wallet" }, { attempts: 1 }))
  yield* eventually(
    "the job fails",
    wait(async () => (await queue.getFailedCount()) > before),
  )
})

/** Rounds of the page's timers: an hour of them in a soak. */
const rounds = process.env.PRESAGE_SOAK === "1" ? 720 : 12
const roundMillis = 5_000

/** Bytes of the page's heap after a garbage collection. */
const heapOf = (page: Page) =>
  wait(async () => {
    const session = await page.context().newCDPSession(page)
    await session.send("HeapProfiler.collectGarbage")
    return (await session.send("Runtime.getHeapUsage")).usedSize
  })

layer(ConsoleStage.layer, { excludeTestServices: true, timeout: "8 minutes" })("The console in a browser", (it) => {
  it.effect("shows every part at 1440 and 390 px, light and dark, without serious findings of axe", () =>
    Effect.gen(function* () {
      const sizes = [
        { name: "wide", options: { viewport: { width: 1440, height: 900 } } },
        { name: "narrow", options: { viewport: { width: 390, height: 844 }, colorScheme: "dark" as const } },
      ]
      for (const { name, options } of sizes) {
        const { page, errors } = yield* consoleTab("", options)
        for (const [path, words] of sections) {
          const label = path === "" ? "Overview" : undefined
          if (label === undefined) yield* wait(() => page.locator(`nav a[href="/console${path}"]`).click())
          yield* until(page, words)
          assert.deepStrictEqual(yield* seriousFindings(page), [], `${name} ${path}`)
          assert.isFalse(yield* scrollsSideways(page), `${name} ${path} scrolls sideways`)
          yield* screenshot(page, `console-${name}${path.replace("/", "-")}`)
        }
        assert.deepStrictEqual(errors, [])
      }
    }),
  )

  it.effect("draws the last hour once processes have reported twice", () =>
    Effect.gen(function* () {
      const { page } = yield* consoleTab("/processes")
      yield* wait(() => page.locator(".chart canvas").first().waitFor({ timeout: 60_000 }))
      assert.isAbove(yield* wait(() => page.getByRole("img", { name: "Memory, last hour" }).count()), 0)
    }),
  )

  it.effect("tunes a setting, explains a wrong value, and resets it", () =>
    Effect.gen(function* () {
      const { page } = yield* consoleTab("/settings")
      yield* wait(() => page.getByLabel("Find a setting").fill("status.every"))
      yield* press(page, "Tune status.every")
      yield* wait(() => page.getByLabel("New value").fill("soon"))
      yield* confirm(page, "Apply")
      yield* until(page, /Not changed/)
      yield* wait(() => page.getByLabel("New value").fill("3s"))
      yield* confirm(page, "Apply")
      yield* until(page, "live override")
      yield* wait(() => page.locator("td code", { hasText: /^3s$/ }).waitFor())
      yield* press(page, "Tune status.every")
      yield* confirm(page, "Reset")
      yield* wait(() => page.locator("td", { hasText: /^default$/ }).waitFor())
      yield* wait(() => page.locator('nav a[href="/console/audit"]').click())
      yield* until(page, "3s -> no override")
      yield* until(page, "console at 127.0.0.1")
    }),
  )

  it.effect("creates, changes and deactivates an account", () =>
    Effect.gen(function* () {
      const { url } = yield* ConsoleStage
      const { page } = yield* consoleTab("/accounts", { viewport: { width: 390, height: 844 } })
      yield* wait(() => page.getByLabel("Name", { exact: true }).fill("Grace"))
      yield* wait(() => page.getByLabel("Plan").selectOption("starter"))
      yield* press(page, "Create")
      yield* until(page, /shown only now/)
      const key = yield* wait(() => page.locator(".notice code").innerText())
      assert.notInclude(page.url(), key)
      const status = () =>
        Effect.map(
          call(Number(new URL(url).port), "/v1/keys", { headers: { "x-api-key": key } }),
          (each) => each.status,
        )
      assert.strictEqual(yield* status(), 200)
      yield* press(page, "Hide the key")
      assert.notInclude(yield* wait(() => page.content()), key)

      yield* press(page, "Change Grace")
      yield* wait(() => page.getByLabel(/^Requests per minute/).fill("7"))
      yield* confirm(page, "Save")
      yield* wait(() => page.locator("td", { hasText: /^own$/ }).waitFor())

      yield* wait(() => page.getByLabel("Find an account").fill("Grace"))
      yield* press(page, "Deactivate")
      yield* until(page, /keys are refused/)
      yield* confirm(page, "Deactivate")
      yield* wait(() => page.locator("td .tag", { hasText: "inactive" }).waitFor())
      assert.strictEqual(yield* status(), 403)
    }),
  )

  it.effect("shows why jobs failed, retries one and drops one", () =>
    Effect.gen(function* () {
      yield* failedJob
      yield* failedJob
      const { page } = yield* consoleTab("/jobs")
      yield* press(page, "Failed jobs of webhooks-seed")
      yield* until(page, /the payload does not decode/)
      yield* press(page, "Drop")
      yield* confirm(page, "Drop")
      yield* until(page, "Drop all 1")
      yield* press(page, "Retry")
      yield* confirm(page, "Retry")
      yield* wait(() => page.getByRole("dialog").waitFor({ state: "detached" }))
      yield* wait(() => page.locator('nav a[href="/console/audit"]').click())
      yield* until(page, "retry job")
      yield* until(page, "drop job")
    }),
  )

  it.effect("verifies the ledger with progress and keeps the result", () =>
    Effect.gen(function* () {
      const { page } = yield* consoleTab("/checks")
      yield* press(page, "Verify the ledger")
      yield* confirm(page, "Verify")
      yield* wait(() =>
        page
          .locator("td .tag", { hasText: /^(done|failed)$/ })
          .first()
          .waitFor({ timeout: 90_000 }),
      )
      yield* until(page, /all \d+ checks are ok/)
    }),
  )

  it.effect("asks for the token from elsewhere, explains a wrong one and an API key, and takes the right one", () =>
    Effect.gen(function* () {
      const { key } = yield* ConsoleStage
      const { page } = yield* consoleTab("", elsewhere, false)
      yield* until(page, /needs its token/)
      assert.strictEqual(yield* wait(() => page.locator('nav a[href="/console/accounts"]').count()), 0)
      for (const wrong of ["guess", key]) {
        yield* wait(() => page.getByLabel("Token of the console").fill(wrong))
        yield* wait(() => page.keyboard.press("Enter"))
        yield* until(page, "The token is wrong.")
      }
      assert.deepStrictEqual(yield* seriousFindings(page), [])
      yield* wait(() => page.getByLabel("Token of the console").fill(token))
      yield* wait(() => page.keyboard.press("Enter"))
      yield* until(page, "The last hour")
      assert.notInclude(page.url(), token)
      assert.deepStrictEqual(yield* wait(() => page.evaluate("Object.values({ ...localStorage })")), [])
      yield* wait(() => page.reload())
      yield* until(page, "The last hour")
      yield* press(page, "Forget the token")
      yield* until(page, /needs its token/)
      assert.deepStrictEqual(yield* wait(() => page.evaluate("Object.values({ ...sessionStorage })")), [])
    }),
  )

  it.effect("says that the service is away, keeps what it knew, and recovers by itself", () =>
    Effect.gen(function* () {
      const { proxy } = yield* ConsoleStage
      const { page } = yield* consoleTab("/sources")
      yield* until(page, "catalogue")
      proxy.isClosed = true
      proxy.cut()
      yield* until(page, "The service does not answer.")
      assert.isTrue(yield* wait(() => page.getByText("catalogue").first().isVisible()))
      yield* screenshot(page, "console-away")
      proxy.isClosed = false
      yield* wait(() => page.getByText("The service does not answer.").first().waitFor({ state: "detached" }))
      yield* until(page, "catalogue")
    }),
  )

  it.effect("is reachable by keyboard, and a dialog returns the focus", () =>
    Effect.gen(function* () {
      const { page } = yield* consoleTab("/settings")
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

  it.effect("does not grow by more than 20 MB while it is left open", () =>
    Effect.gen(function* () {
      const { page } = yield* consoleTab("/processes")
      yield* wait(() => page.clock.install())
      yield* wait(() => page.reload())
      yield* wait(() => page.locator(".chart canvas").first().waitFor({ timeout: 60_000 }))
      const before = yield* heapOf(page)
      for (let round = 0; round < rounds; round++) {
        const answered = page.waitForResponse((response) => response.url().endsWith("/ops/v1/processes"))
        yield* wait(() => page.clock.runFor(roundMillis))
        yield* wait(() => answered)
      }
      assert.isBelow((yield* heapOf(page)) - before, 20_000_000)
    }),
  )

  it.effect("has the headers of a private page, and at most 150 kB to load", () =>
    Effect.gen(function* () {
      const { url } = yield* ConsoleStage
      const { status, headers, text } = yield* call(Number(new URL(url).port), "/console/jobs")
      assert.strictEqual(status, 200)
      const policy = String(headers["content-security-policy"])
      assert.include(policy, "script-src 'self'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.notInclude(policy, "unsafe-inline")
      assert.strictEqual(headers["referrer-policy"], "no-referrer")
      let loaded = text.length
      for (const [, path = ""] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
        const asset = yield* call(Number(new URL(url).port), path, { headers: { "accept-encoding": "gzip" } })
        loaded += Number(asset.headers["content-length"])
      }
      assert.isAtMost(loaded, 150_000)
    }),
  )
})
