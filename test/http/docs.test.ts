import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { call } from "./support/client.ts"
import { apiServer, boundPort } from "./support/server.ts"

const from = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(boundPort, (port) => call(port, path, { headers }))

layer(apiServer, { excludeTestServices: true })("The documentation", (it) => {
  it.effect("is a page that loads nothing from elsewhere and cannot be framed", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", "/docs/reference/tradeLists.all", "/docs/guides/units"]) {
        const page = yield* from(path)
        assert.strictEqual(page.status, 200, path)
        assert.match(String(page.headers["content-type"]), /text\/html/)
        assert.notMatch(page.text, /<script(?![^>]+src="\/assets\/)/)
        assert.notMatch(page.text, /(?:href|src)="(?!\/)/)
        const policy = String(page.headers["content-security-policy"])
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "frame-ancestors 'none'")
        assert.notInclude(policy, "unsafe")
        assert.strictEqual(page.headers["referrer-policy"], "no-referrer")
      }
    }),
  )

  it.effect("names the address under which it was asked", () =>
    Effect.gen(function* () {
      const headers = { host: "data.example:8080" }
      const contract = yield* from("/openapi.json", headers)
      assert.deepStrictEqual(
        contract.json.servers.map(({ url }: { readonly url: string }) => url),
        ["http://data.example:8080"],
      )
      assert.include((yield* from("/llms.txt", headers)).text, "http://data.example:8080/docs/api.md")
      assert.include((yield* from("/docs.md", headers)).text, 'curl -H "x-api-key: $KEY" "http://data.example:8080/v3/')
      for (const host of ["a b", `x"><script>`, "[::1]:8080"]) {
        const { status, json } = yield* from("/openapi.json", { host })
        if (status === 200) assert.match(json.servers[0].url, /^http:\/\/[\w.:[\]-]+$/)
      }
    }),
  )

  it.effect("is kept by clients until it changes, and compressed", () =>
    Effect.gen(function* () {
      for (const path of [
        "/openapi.json",
        "/asyncapi.json",
        "/docs/index.json",
        "/docs.md",
        "/llms.txt",
        "/docs/api.md",
      ]) {
        const answer = yield* from(path, { "accept-encoding": "br" })
        assert.strictEqual(answer.status, 200, path)
        assert.strictEqual(answer.headers["content-encoding"], "br", path)
        const etag = String(answer.headers["etag"])
        const again = yield* from(path, { "accept-encoding": "br", "if-none-match": etag })
        assert.strictEqual(again.status, 304, path)
      }
    }),
  )

  it.effect("has each operation and delivery of the contract by itself, with all that it refers to", () =>
    Effect.gen(function* () {
      const { json: contract } = yield* from("/openapi.json")
      const { json: index } = yield* from("/docs/index.json")
      const partOf = Effect.fnUntraced(function* (path: string) {
        const { status, json, text } = yield* from(path)
        assert.strictEqual(status, 200, path)
        for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
          assert.deepStrictEqual(json.components[kind][name], contract.components[kind][name], `${path} ${name}`)
        // A page loads it besides its scripts and styles, compressed.
        assert.isBelow(gzipSync(text).length, 40_000, path)
        return json
      })
      assert.isAbove(index.operations.length, 100)
      for (const { id, method, path } of index.operations) {
        const at = method.toLowerCase()
        const { paths } = yield* partOf(`/docs/contract/operations/${id}`)
        assert.deepStrictEqual(paths, { [path]: { [at]: contract.paths[path][at] } })
      }
      for (const { name } of index.webhooks) {
        const { webhooks } = yield* partOf(`/docs/contract/webhooks/${name}`)
        assert.deepStrictEqual(webhooks, { [name]: contract.webhooks[name] })
      }
      for (const path of ["/docs/contract/operations/nothing", "/docs/contract/webhooks/constructor"]) {
        const { status, json } = yield* from(path)
        assert.deepStrictEqual([status, json.hint], [404, "GET /docs/index.json lists its operations and webhooks."])
      }
    }),
  )

  it.effect("is Markdown for agents: each guide, and everything at once", () =>
    Effect.gen(function* () {
      const all = yield* from("/docs.md")
      assert.strictEqual(all.headers["content-type"], "text/markdown; charset=utf-8")
      const index = yield* from("/docs/index.json")
      assert.strictEqual(index.json.version, packageJson.version)
      const names = index.json.guides.map(({ name }: { readonly name: string }) => name)
      assert.includeMembers(names, [
        "api",
        "streams",
        "webhooks",
        "operations",
        "real-venue",
        "files",
        "glossary",
        "units",
      ])
      for (const name of names) {
        const guide = yield* from(`/docs/${name}.md`)
        assert.strictEqual(guide.headers["content-type"], "text/markdown; charset=utf-8")
        assert.strictEqual(guide.headers["x-content-type-options"], "nosniff")
        assert.match(guide.text, /^# \w/)
        assert.include(all.text, guide.text.trim())
      }
      for (const { method, path } of index.json.operations) assert.include(all.text, `### ${method} ${path}\n`)
      const unknown = yield* from("/docs/nothing.md")
      assert.deepStrictEqual([unknown.status, unknown.json.hint], [404, "GET /llms.txt lists them."])
      const llms = yield* from("/llms.txt")
      assert.match(String(llms.headers["content-type"]), /^text\/plain/)
      for (const name of names) assert.include(llms.text, `/docs/${name}.md)`)
      for (const [, path = ""] of llms.text.matchAll(/\]\(http:\/\/[^/]+(\/[^)]*)\)/g))
        assert.strictEqual((yield* from(path)).status, 200, path)
    }),
  )

  it.effect("shows no code whose host is somebody's machine", () =>
    Effect.gen(function* () {
      const { text } = yield* from("/openapi.json", { host: "data.example" })
      assert.notMatch(text, /localhost|127\.0\.0\.1/)
    }),
  )
})
