import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "./support/client.ts"
import { apiServer, boundPort } from "./support/server.ts"

layer(apiServer, { excludeTestServices: true })("The web pages", (it) => {
  it.effect("load nothing from other hosts and know the gateway", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const path of ["/explore", "/explore/live", "/explore/markets/will-it-rain"]) {
        const page = yield* call(port, path, { headers: { host: "data.example:8080" } })
        assert.strictEqual(page.status, 200, path)
        assert.match(String(page.headers["content-type"]), /text\/html/)
        assert.include(page.text, 'content="ws://data.example:8081/ws"')
        assert.notMatch(page.text, /(?:href|src)="(?!\/)/)
        const policy = String(page.headers["content-security-policy"])
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "connect-src 'self' ws://data.example:8081 wss://data.example:8081;")
        assert.notInclude(policy, "unsafe")
      }
    }),
  )

  it.effect("have all files they reference, for good", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { text } = yield* call(port, "/explore")
      const named = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path)
      assert.isAbove(named.length, 2)
      for (const path of named) {
        const file = yield* call(port, path)
        assert.strictEqual(file.status, 200, path)
        assert.include(String(file.headers["cache-control"]), "immutable")
        if (path.endsWith(".js")) assert.match(String(file.headers["content-type"]), /text\/javascript/)
      }
    }),
  )

  it.effect("a malicious Host header cannot inject markup", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const host of [`x"><script>alert(1)</script>`, "a b", "[::1]:8080", "user@evil.example"]) {
        const page = yield* call(port, "/explore", { headers: { host } })
        if (page.status !== 200) continue
        assert.notInclude(page.text, "<script>alert")
        assert.notMatch(String(page.headers["content-security-policy"]), /["<>]/)
      }
    }),
  )

  it.effect("the live page is still found at its old address", () =>
    Effect.gen(function* () {
      const { status, headers } = yield* call(yield* boundPort, "/live")
      assert.deepStrictEqual([status, headers["location"]], [302, "/explore/live"])
    }),
  )

  it.effect("are named at the bare address, with the AsyncAPI document, which needs no key", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const named = { explore: "/explore", live: "/explore/live", asyncapi: "/asyncapi.json" }
      assert.include((yield* call(port, "/")).json, named)
      const browser = yield* call(port, "/", { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } })
      assert.deepStrictEqual([browser.status, browser.headers["location"]], [302, "/explore"])
      assert.include((yield* call(port, "/openapi.json")).json.info.description, "/asyncapi.json")
      const { status, json } = yield* call(port, "/asyncapi.json", { headers: { host: "data.example:8080" } })
      assert.strictEqual(status, 200)
      assert.strictEqual(json.asyncapi, "3.0.0")
      assert.strictEqual(json.servers.gateway.host, "data.example:8081")
    }),
  )
})
