import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { mergeResults } from "#src/online-search/merge.ts"
import { NoEngineAnswered, Searxng } from "#src/upstream/searxng/Searxng.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { upstreamsAt } from "#test/support/venue.ts"
import { runningSearx } from "./support/searx.ts"

/** What the two reachable engines find. */
const found: Readonly<Record<string, ReadonlyArray<object>>> = {
  "/one": [
    { link: "https://example.org/a", name: "A &amp; <b>B</b>", text: "first" },
    { link: "https://example.org/b", name: "B", text: "second" },
  ],
  "/two": [
    { link: "https://example.org/b", name: "B", text: "second, in more words" },
    { link: "https://example.org/c?utm_source=x", name: "C", text: "third" },
  ],
}

const index = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer(({ url = "" }, response) => {
      const path = url.split("?")[0] ?? ""
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ results: found[path] ?? [] }))
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close),
)

const request = { query: "anything", language: "en-US", timeRange: undefined, safeSearch: 0 } as const

const clientAt = (addresses: string) =>
  Searxng.layer.pipe(
    Layer.provide(upstreamsAt("http://127.0.0.1:1")),
    Layer.provide(testConfiguration({ "upstream.searxng-url": addresses, "upstream.searxng.timeout": "60s" })),
    Layer.provideMerge(Logger.layer([])),
    Layer.orDie,
  )

describe("A real searx", () => {
  it.live("gives what its engines found, names those that failed, and is asked after an instance that is down", () =>
    Effect.gen(function* () {
      const { url } = yield* index
      const searx = yield* runningSearx([
        { name: "one", url: `${url}/one?q={query}` },
        { name: "two", url: `${url}/two?q={query}` },
        { name: "three", url: "http://127.0.0.1:1/three?q={query}" },
      ])
      yield* Effect.gen(function* () {
        const searxng = yield* Searxng
        const page = yield* searxng.search({ ...request, engines: ["one", "two", "three"] })
        assert.deepStrictEqual(
          page.failures.map(({ engine }) => engine),
          ["three"],
        )
        const merged = mergeResults(page.results)
        assert.deepStrictEqual(
          merged.map(({ url, engines, title }) => [url, engines, title]),
          [
            ["https://example.org/b", ["one", "two"], "B"],
            ["https://example.org/a", ["one"], "A & B"],
            ["https://example.org/c", ["two"], "C"],
          ],
        )
        const offline = yield* Effect.flip(searxng.search({ ...request, engines: ["brave", "duckduckgo"] }))
        assert.instanceOf(offline, NoEngineAnswered)
        const failed = offline instanceof NoEngineAnswered ? offline.failures.map(({ engine }) => engine) : []
        assert.sameMembers(failed, ["brave", "duckduckgo"])
        const unknown = yield* Effect.flip(searxng.search({ ...request, engines: ["altavista"] }))
        assert.instanceOf(unknown, NoEngineAnswered)
      }).pipe(Effect.provide(clientAt(`http://127.0.0.1:1,${searx.url}`)))
    }),
  )
})
