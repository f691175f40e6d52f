import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { wait } from "./support/acts.ts"
import { settled } from "./support/checkPages.ts"
import { EveryPage } from "./support/everyPage.ts"
import { everyKey, Stage, tab } from "./support/Stage.ts"

const starts = ["/dashboard", "/explore", "/explore/live", "/console", "/docs", "/docs/guides/streams"]

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Opens a page with nothing in the cache of the browser. Times are in milliseconds. */
const firstLoad = (path: string, key: string) =>
  Effect.gen(function* () {
    const { url } = yield* Stage
    const { page } = yield* tab("/assets/none", undefined, everyKey(key))
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
  }).pipe(Effect.scoped)

layer(EveryPage.layer, { excludeTestServices: true, timeout: "4 minutes" })("What a page brings along", (it) => {
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
      const { key, pages } = yield* EveryPage
      const tooMuch: Array<string> = []
      for (const { name, path } of isSoak ? pages : starts.map((start) => ({ name: start, path: start }))) {
        const { loaded } = yield* firstLoad(path, key)
        assert.isAbove(loaded, 10_000, name)
        if (loaded > 150_000) tooMuch.push(`${name}: ${loaded} bytes`)
        // Now the service is warm. A soak has the machine for itself, so that only there real time says something.
        if (!isSoak) continue
        const fastest = yield* Effect.map(firstLoad(path, key), ({ settledAt }) => settledAt).pipe(
          Effect.repeat({ until: (millis) => millis <= 1000, times: 2 }),
        )
        if (fastest > 1000) tooMuch.push(`${name}: ${Math.round(fastest)} ms`)
      }
      assert.deepStrictEqual(tooMuch, [])
    }),
  )
})
