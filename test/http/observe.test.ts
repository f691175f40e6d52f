import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { call } from "./support/client.ts"
import { boundPort, type LogLine, recorder, testServer } from "./support/server.ts"

const secret = "s3cr3t-key-value"

/** Waits until the server has logged the request, which can be after the client has its answer. */
const lineOf = (lines: ReadonlyArray<LogLine>, requestId: string) =>
  Effect.gen(function* () {
    for (;;) {
      const line = lines.find((l) => l.text === "request" && l.annotations["request_id"] === requestId)
      if (line !== undefined) return line
      yield* Effect.yieldNow
    }
  }).pipe(Effect.timeout("1 minute"))

const everything = (lines: ReadonlyArray<LogLine>) => JSON.stringify(lines)

describe("Request logs and metrics", () => {
  it.live("a request is logged once with its id, which the answer and the handler's lines have too", () => {
    const { lines, logged } = recorder()
    return Effect.gen(function* () {
      const port = yield* boundPort
      const answer = yield* call(port, "/v1/test/logs", { headers: { "x-request-id": "client.id_1-A" } })
      assert.strictEqual(answer.headers["x-request-id"], "client.id_1-A")
      const line = yield* lineOf(lines, "client.id_1-A")
      assert.strictEqual(line.level, "Debug")
      assert.include(line.annotations, { method: "GET", path: "/v1/test/logs", route: "/v1/test/logs", status: 200 })
      assert.isNumber(line.annotations["ms"])
      const inside = lines.find((l) => l.text === "inside the handler")
      assert.strictEqual(inside?.annotations["request_id"], "client.id_1-A")
    }).pipe(
      // Roles may annotate everything they start; that must not hide the id.
      Effect.provide(
        testServer().pipe(
          Layer.provideMerge(Layer.mergeAll(logged, Layer.succeed(References.CurrentLogAnnotations, { role: "api" }))),
        ),
      ),
    )
  })

  it.live("an unsafe id of the client is never used", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const ids = new Set<string>()
      for (const given of ["a b", "x".repeat(65), "<script>", ""]) {
        const { headers } = yield* call(port, "/v1/test/logs", { headers: { "x-request-id": given } })
        const id = String(headers["x-request-id"])
        assert.notStrictEqual(id, given)
        assert.match(id, /^[A-Za-z0-9._-]{1,64}$/)
        ids.add(id)
      }
      assert.strictEqual(ids.size, 4)
    }).pipe(Effect.provide(testServer().pipe(Layer.provideMerge(recorder().logged)))),
  )

  it.live("an internal error is logged once with its cause at error, and the request at info", () => {
    const { lines, logged } = recorder()
    return Effect.gen(function* () {
      yield* call(yield* boundPort, "/v1/test/boom", { headers: { "x-request-id": "boom-1" } })
      const line = yield* lineOf(lines, "boom-1")
      assert.strictEqual(line.level, "Info")
      const faults = lines.filter((l) => everything([l]).includes("a secret detail"))
      assert.lengthOf(faults, 1)
      assert.strictEqual(faults[0]?.level, "Error")
      assert.strictEqual(faults[0]?.annotations["request_id"], "boom-1")
    }).pipe(Effect.provide(testServer().pipe(Layer.provideMerge(logged))))
  })

  it.live("the key never appears in logs, spans, metrics or the address that handlers see", () => {
    const { lines, spans, logged, traced } = recorder()
    return Effect.gen(function* () {
      const port = yield* boundPort
      const { json } = yield* call(port, `/v1/test/key?key=${secret}&q=1`)
      assert.strictEqual(json.seen, `/v1/test/key?q=1 1 ${secret}`)
      const attempts = [
        `/v1/test/boom?%6Bey=${secret}`,
        `/nowhere;key=${secret}`,
        `http://x/nowhere?key=${secret}`,
        `/v1/test/key?q=%&key=${secret}`,
        `/v1/test/boom?key=${secret}&key=${secret}`,
        `/v1/test/key?zebra=1&key=${secret}`,
      ]
      for (const address of attempts) {
        const headers = { referer: `http://x/?key=${secret}`, "x-api-key": secret, authorization: `Bearer ${secret}` }
        const answer = yield* call(port, address, { headers })
        assert.notInclude(answer.text, secret, address)
      }
      const metrics = yield* call(port, "/v1/test/logs", { headers: { "x-request-id": "last" } })
      assert.strictEqual(metrics.status, 200)
      yield* lineOf(lines, "last")
      assert.isAtLeast(spans.length, 5)
      const attributes = spans.flatMap((span) => [span.name, ...[...span.attributes].flat().map(String)])
      assert.include(attributes, "/v1/test/key")
      assert.notInclude(attributes.join("\n"), secret)
      assert.notInclude(everything(lines), secret)
      assert.notInclude(yield* PrometheusMetrics.format(), secret)
    }).pipe(Effect.provide(testServer().pipe(Layer.provideMerge(Layer.mergeAll(logged, traced)))))
  })

  it.live("metrics count by route pattern, so that addresses cannot flood them", () => {
    const { lines, logged } = recorder()
    return Effect.gen(function* () {
      const port = yield* boundPort
      for (const name of ["a", "b", "c"]) {
        yield* call(port, `/v3/test/things/${name}`, { headers: { "x-request-id": name } })
        const line = yield* lineOf(lines, name)
        assert.strictEqual(line.annotations["route"], "/v3/test/things/:name")
      }
      yield* call(port, "/random/123", { headers: { "x-request-id": "none" } })
      assert.strictEqual((yield* lineOf(lines, "none")).annotations["route"], "(none)")
      const metrics = yield* PrometheusMetrics.format()
      assert.match(
        metrics,
        /presage_http_requests_total\{method="GET",route="\/v3\/test\/things\/:name",status="200"\} 3/,
      )
      assert.notInclude(metrics, "random")
    }).pipe(Effect.provide(testServer().pipe(Layer.provideMerge(logged))))
  })
})
