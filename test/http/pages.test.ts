import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "./support/client.ts"
import { apiServer, boundPort } from "./support/server.ts"

layer(apiServer, { excludeTestServices: true })("The live page", (it) => {
  it.effect("loads nothing from other hosts and knows the gateway", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const page = yield* call(port, "/live", { headers: { host: "data.example:8080" } })
      assert.strictEqual(page.status, 200)
      assert.match(String(page.headers["content-type"]), /text\/html/)
      assert.include(page.text, 'data-gateway="ws://data.example:8081/ws"')
      assert.notMatch(page.text, /(?:href|src)="(?!\/)/)
      const policy = String(page.headers["content-security-policy"])
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "connect-src 'self' ws://data.example:8081 wss://data.example:8081;")
      assert.notInclude(policy, "unsafe")
    }),
  )

  it.effect("all modules it references are served as JavaScript", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { text } = yield* call(port, "/live")
      const named = [...text.matchAll(/(?:href|src)="(\/live\/[^"]+)"/g)].map(([, path = ""]) => path)
      assert.isAbove(named.length, 2)
      for (const path of named) {
        const file = yield* call(port, path)
        assert.strictEqual(file.status, 200, path)
        if (!path.endsWith(".ts")) continue
        assert.match(String(file.headers["content-type"]), /text\/javascript/)
        assert.notMatch(file.text, /\binterface\b|import type|: string\b/)
        for (const [, more = ""] of file.text.matchAll(/from "\.(\/[^"]+)"/g)) {
          if (!named.includes(`/live${more}`)) named.push(`/live${more}`)
        }
      }
      assert.includeMembers(named, ["/live/connection.ts", "/live/liveState.ts", "/live/render.ts", "/live/format.ts"])
    }),
  )

  it.effect("a malicious Host header cannot inject markup", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const host of [`x"><script>alert(1)</script>`, "a b", "[::1]:8080", "user@evil.example"]) {
        const page = yield* call(port, "/live", { headers: { host } })
        if (page.status !== 200) continue
        assert.notInclude(page.text, "<script>alert")
        assert.notMatch(String(page.headers["content-security-policy"]), /["<>]/)
      }
    }),
  )

  it.effect("links to the AsyncAPI document, which needs no key", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      assert.include((yield* call(port, "/")).json, { live: "/live", asyncapi: "/asyncapi.json" })
      assert.include((yield* call(port, "/openapi.json")).json.info.description, "/asyncapi.json")
      const { status, json } = yield* call(port, "/asyncapi.json", { headers: { host: "data.example:8080" } })
      assert.strictEqual(status, 200)
      assert.strictEqual(json.asyncapi, "3.0.0")
      assert.strictEqual(json.servers.gateway.host, "data.example:8081")
    }),
  )
})
