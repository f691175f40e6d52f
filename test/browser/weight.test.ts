import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { inject } from "vitest"
import { wait } from "./support/acts.ts"
import { settled } from "./support/checkPages.ts"
import { consoleTab, Stage, tab } from "./support/Stage.ts"

const starts = ["/dashboard", "/explore", "/explore/live", "/console", "/docs", "/docs/guides/streams"]

/** What a tab knows that may open every page. */
const everything = Effect.map(Stage, ({ key }) => ({
  "presage-key": key,
  "presage-console-token": inject("browserService").token,
}))

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Opens a page with nothing in the cache of the browser. Times are in milliseconds. */
const firstLoad = (path: string) =>
  Effect.gen(function* () {
    const { url } = yield* Stage
    const { page } = yield* tab("/assets/none", undefined, yield* everything)
    const sizes: Array<Promise<number>> = []
    page.on("requestfinished", (request) => {
      if (request.url().startsWith("blob:")) return
      assert.isTrue(request.url().startsWith(url), request.url())
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    yield* wait(() => page.goto(`${url}${path}`, { waitUntil: "commit" }))
    yield* settled(page)
    const settledAt = yield* wait(() => page.evaluate<number>("performance.now()"))
    const loaded = (yield* wait(() => Promise.all(sizes))).reduce((sum, size) => sum + size, 0)
    return { loaded, settledAt }
  })

/** How long the clock of a page runs: an hour in a soak. */
const openMillis = isSoak ? 3_600_000 : 60_000
/** The part of 20 MB an hour; less is noise. */
const mostGrowth = Math.max(2_000_000, (20_000_000 * openMillis) / 3_600_000)

/** Bytes of the page's heap after a garbage collection. */
const heapOf = (page: Page) =>
  wait(async () => {
    const session = await page.context().newCDPSession(page)
    await session.send("HeapProfiler.collectGarbage")
    const { usedSize } = await session.send("Runtime.getHeapUsage")
    await session.detach()
    return usedSize
  })

/** Lets the clock of the page run, and waits for what it then asks the service. */
const leftOpen = (page: Page, polled: RegExp, everyMillis: number) =>
  Effect.gen(function* () {
    yield* wait(() => page.clock.install())
    yield* wait(() => page.reload())
    yield* settled(page)
    const round = Effect.gen(function* () {
      const answered = page.waitForResponse((response) => polled.test(response.url()))
      yield* wait(() => page.clock.runFor(everyMillis))
      yield* wait(() => answered)
    })
    yield* round
    const before = yield* heapOf(page)
    for (let passed = 0; passed < openMillis; passed += everyMillis) yield* round
    return (yield* heapOf(page)) - before
  })

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("What a page brings along", (it) => {
  it.effect("forbids scripts of others, frames and referrers", () =>
    Effect.gen(function* () {
      const { url } = yield* Stage
      for (const start of starts) {
        const { headers } = yield* wait(() => fetch(`${url}${start}`))
        const policy = headers.get("content-security-policy") ?? ""
        for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
          assert.include(policy, rule, start)
        assert.notInclude(policy, "unsafe", start)
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer", start)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff", start)
      }
    }),
  )

  it.effect("is at most 150 kB at first, nothing from elsewhere, and interactive within a second", () =>
    Effect.gen(function* () {
      for (const start of starts) {
        // The first load warms the service. A soak has the machine for itself, so that only there real time says something.
        const warm = yield* firstLoad(start)
        const { loaded, settledAt } = isSoak ? yield* firstLoad(start) : warm
        assert.isAbove(loaded, 10_000, start)
        assert.isAtMost(loaded, 150_000, start)
        if (isSoak) assert.isAtMost(settledAt, 1000, start)
      }
    }),
  )

  it.effect("does not grow by more than 20 MB in an hour of polling", () =>
    Effect.gen(function* () {
      const { page: console } = yield* consoleTab("/processes")
      assert.isBelow(yield* leftOpen(console, /\/ops\/v1\/processes/, 5_000), mostGrowth, "console")
    }),
  )
})
