import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { serving } from "#test/http/support/serving.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { call } from "./support/client.ts"
import { keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({
      port: "0",
      host: "127.0.0.1",
      "http.trusted-proxies": "127.0.0.1",
      "http.allowed-hosts": "presage.example.com",
      "limits.unauthenticated-per-minute": "1000",
    }),
  ),
)

/** A page of this name whose address was changed to this machine's is same-origin, so its Origin is no help. */
const rebound = "evil.example:8080"

const metrics = (host: string) => Effect.flatMap(boundPort, (port) => call(port, "/metrics", { headers: { host } }))

const create = (host: string, more: Record<string, string> = {}) =>
  Effect.flatMap(boundPort, (port) => call(port, "/v1/keys", { method: "POST", headers: { host, ...more } }))

layer(server, { excludeTestServices: true })("A web page whose name resolves to this machine", (it) => {
  it.effect("cannot read the metrics, and the answer names the setting", () =>
    Effect.gen(function* () {
      for (const host of [rebound, "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"]) {
        const { status, json, text } = yield* metrics(host)
        assert.strictEqual(status, 421, host)
        assert.include(json.hint, "HTTP_ALLOWED_HOSTS")
        assert.notInclude(text, "presage_")
      }
      for (const host of ["localhost:8080", "LOCALHOST", "127.0.0.1:8080", "[::1]:8080", "10.0.0.7", "x.localhost"]) {
        assert.strictEqual((yield* metrics(host)).status, 200, host)
      }
      assert.strictEqual((yield* metrics("Presage.example.com:8080")).status, 200, "a configured name")
    }),
  )

  it.effect("cannot create a key in its visitor's name, nor can a page of another origin", () =>
    Effect.gen(function* () {
      const refused = yield* create(rebound, { origin: `http://${rebound}` })
      assert.strictEqual(refused.status, 421)
      assert.include(refused.json.hint, "HTTP_ALLOWED_HOSTS")
      for (const origin of ["http://evil.example", "null", "http://localhost:3000"]) {
        assert.strictEqual((yield* create("localhost:8080", { origin })).status, 403, origin)
      }
      const own = yield* create("localhost:8080", { origin: "http://localhost:8080" })
      assert.strictEqual(own.status, 201, own.text)
    }),
  )

  it.effect("does not keep clients of a reverse proxy from keys and data under any name", () =>
    Effect.gen(function* () {
      const proxied = yield* create("api.example.org", { "x-forwarded-for": "192.0.2.77" })
      assert.strictEqual(proxied.status, 201, proxied.text)
      const { key } = yield* keyOf("starter")
      const port = yield* boundPort
      const headers = { host: "api.example.org", authorization: `Bearer ${key}` }
      assert.strictEqual((yield* call(port, "/v1/keys", { headers })).status, 200)
      assert.strictEqual((yield* call(port, "/healthz", { headers: { host: "api.example.org" } })).status, 200)
    }),
  )
})
