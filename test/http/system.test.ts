import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpServer from "effect/unstable/http/HttpServer"
import { Health } from "#src/platform/telemetry/Health.ts"
import packageJson from "../../package.json" with { type: "json" }
import { call } from "./support/client.ts"
import { apiServer, boundPort, opsServer } from "./support/server.ts"

interface Operation {
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly description?: string
    readonly schema: { readonly description?: string }
  }>
}

layer(apiServer, { excludeTestServices: true })("The API server", (it) => {
  it.effect("answers the liveness check", () =>
    Effect.gen(function* () {
      const answer = yield* call(yield* boundPort, "/healthz")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, { status: "ok" })
    }),
  )

  it.effect("answers the readiness check with the state of each dependency", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const good = yield* call(port, "/readyz")
      assert.strictEqual(good.status, 200)
      assert.strictEqual(good.json.status, "ready")
      const health = yield* Health
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* health.register("postgres", Effect.fail("connection refused"))
          const bad = yield* call(port, "/readyz")
          assert.strictEqual(bad.status, 503)
          assert.strictEqual(bad.json.status, "not ready")
          assert.strictEqual(bad.json.dependencies.postgres.detail, "connection refused")
        }),
      )
    }),
  )

  it.effect("links its pages at the bare address", () =>
    Effect.gen(function* () {
      const answer = yield* call(yield* boundPort, "/")
      assert.strictEqual(answer.status, 200)
      assert.include(answer.json, { docs: "/docs", llms: "/llms.txt", openapi: "/openapi.json", ready: "/readyz" })
    }),
  )

  it.effect("serves its OpenAPI document", () =>
    Effect.gen(function* () {
      const { json } = yield* call(yield* boundPort, "/openapi.json")
      assert.strictEqual(json.info.title, "Presage")
      assert.strictEqual(json.info.version, packageJson.version)
      assert.includeMembers(Object.keys(json.paths), ["/healthz", "/v1/status", "/v1/keys/{id}", "/v1/crypto/ticks"])
      for (const [path, operations] of Object.entries<Record<string, { summary?: string }>>(json.paths)) {
        for (const { summary } of Object.values(operations)) assert.isString(summary, path)
      }
      assert.containsAllKeys(json.paths["/readyz"].get.responses, ["200", "400", "503"])
    }),
  )

  it.effect("refuses metrics to proxies and web pages", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const name of ["x-forwarded-for", "x-real-ip", "forwarded", "via", "origin", "sec-fetch-site"]) {
        assert.strictEqual((yield* call(port, "/metrics", { headers: { [name]: "127.0.0.1" } })).status, 403, name)
      }
    }),
  )

  it.effect("documents the headers of cached answers in OpenAPI", () =>
    Effect.gen(function* () {
      const { json } = yield* call(yield* boundPort, "/openapi.json")
      const { responses } = json.paths["/v1/crypto/candles"].get
      assert.containsAllKeys(responses, ["200", "304", "400", "401", "406", "429", "503"])
      assert.containsAllKeys(responses["200"].headers, ["etag", "age", "x-cache", "x-data-age-ms"])
      assert.isObject(responses["200"].content["application/json"].schema)
    }),
  )

  it.effect("documents every parameter in OpenAPI", () =>
    Effect.gen(function* () {
      const { json } = yield* call(yield* boundPort, "/openapi.json")
      const silent = Object.entries<Record<string, Operation>>(json.paths).flatMap(([path, operations]) =>
        Object.values(operations).flatMap(({ parameters = [] }) =>
          parameters.flatMap(({ name, description, schema }) =>
            description === undefined && schema.description === undefined ? [`${path} ${name}`] : [],
          ),
        ),
      )
      assert.deepStrictEqual(silent, [])
    }),
  )

  it.effect("documents in OpenAPI where the key is optional", () =>
    Effect.gen(function* () {
      const { json } = yield* call(yield* boundPort, "/openapi.json")
      const [first, ...others] = json.paths["/v1/keys"].post.security
      assert.deepStrictEqual(first, {})
      assert.deepStrictEqual(json.paths["/v1/keys"].get.security, others)
    }),
  )

  it.effect("serves metrics for Prometheus", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      yield* call(port, "/healthz")
      const { headers, text } = yield* call(port, "/metrics")
      assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/)
      assert.match(text, /presage_http_requests_total\{method="GET",route="\/healthz",status="200"\} \d+/)
      assert.match(text, /presage_http_request_seconds_bucket\{method="GET",route="\/healthz",le="0\.005"\} \d+/)
    }),
  )

  it.effect("answers HEAD wherever it answers GET", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const path of ["/healthz", "/", "/openapi.json", "/docs", "/llms.txt", "/metrics"]) {
        const answer = yield* call(port, path, { method: "HEAD" })
        assert.strictEqual(answer.status, 200, path)
        assert.strictEqual(answer.text, "", path)
      }
    }),
  )

  it.effect("answers preflights and allows reads from every origin", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const preflight = yield* call(port, "/readyz", {
        method: "OPTIONS",
        headers: {
          origin: "https://dash.example",
          "access-control-request-method": "GET",
          "access-control-request-headers": "x-api-key",
        },
      })
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers["access-control-allow-origin"], "*")
      assert.match(String(preflight.headers["access-control-allow-methods"]), /GET/)
      assert.match(String(preflight.headers["access-control-allow-headers"]), /authorization/)
      for (const path of ["/readyz", "/nowhere"]) {
        const answer = yield* call(port, path, { headers: { origin: "https://dash.example" } })
        assert.strictEqual(answer.headers["access-control-allow-origin"], "*", path)
      }
    }),
  )

  it.effect("suggests the closest path for an unknown one", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const far = yield* call(port, "/certainly/not/here")
      assert.strictEqual(far.status, 404)
      assert.strictEqual(far.json.error, "Not found.")
      for (const path of ["/certainly/not/here", "/v1", "/v3", "/v3/nothing"])
        assert.match((yield* call(port, path)).json.hint, /\/openapi\.json/, path)
      const near = yield* call(port, "/readz")
      assert.include(near.json.hint, "/readyz")
      const v3 = yield* call(port, "/v3/nothing/like/it")
      assert.strictEqual(v3.status, 404)
      assert.strictEqual(v3.json.error, "Not found.")
      assert.match(v3.json.hint, /\/docs|\/openapi\.json/)
    }),
  )

  it.effect("lists the allowed methods of a path", () =>
    Effect.gen(function* () {
      const answer = yield* call(yield* boundPort, "/healthz", { method: "DELETE" })
      assert.strictEqual(answer.status, 405)
      assert.strictEqual(answer.headers["allow"], "GET, HEAD, OPTIONS")
      assert.match(answer.json.error, /DELETE is not allowed/)
    }),
  )
})

layer(opsServer, { excludeTestServices: true })("The ops server", (it) => {
  it.effect("listens on this machine only, wherever the API listens", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      assert.strictEqual(String(address), `127.0.0.1:${yield* boundPort}`)
    }),
  )

  it.effect("serves health and metrics and nothing else", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        assert.strictEqual((yield* call(port, path)).status, 200, path)
      }
      for (const path of ["/docs", "/openapi.json", "/"]) {
        assert.strictEqual((yield* call(port, path)).status, 404, path)
      }
    }),
  )
})
