import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { telemetry } from "#src/platform/telemetry/Telemetry.ts"
import { call } from "#test/http/support/client.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { everythingInPostgres, everythingInRedis } from "#test/http/support/stored.ts"
import { collector } from "#test/platform/support/collector.ts"
import { standardError } from "#test/support/standardError.ts"
import { connect, refusalOf } from "./support/client.ts"
import { gatewayPort, testGateway } from "./support/gateway.ts"

const telemetryTo = (url: string) => ({
  "log.level": "debug",
  "otel.exporter.otlp.endpoint": url,
  "otel.sample-ratio": "1",
})

it.live("A key in the address of a stream reaches no refusal, log, trace, metric or store", () =>
  Effect.gen(function* () {
    const { url, bodies } = yield* collector
    const written = yield* standardError
    const { secret, ...stores } = yield* Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const secret = key.slice(9)
      const port = yield* gatewayPort
      const mistyped = `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`
      const refused = [
        `/ws?key=${mistyped}`,
        `/ws?${key}=1`,
        `/ws?KEY=${key}`,
        `/ws?key=${key}&${key}=1`,
        `/ws?key=${key}&compress=${key}`,
        `/ws?k%65y=${mistyped}&key=${key}`,
        `/ws?key=${key}&last=%`,
        `/${key}?key=${key}`,
      ]
      for (const path of refused) {
        const { status, text, headers } = yield* refusalOf(path, { "user-agent": key, referer: `http://x${path}` })
        assert.isTrue(status >= 400 && status < 500, `${status} ${path}`)
        assert.notInclude(`${text}${JSON.stringify(headers)}`, secret.slice(0, -1), path)
      }
      for (const path of [`/ws?key=${key}`, `/nowhere?key=${key}`, `/readyz?key=${key}`])
        assert.notInclude((yield* call(port, path)).text, secret)
      const client = yield* connect(key, { last: key })
      for (const message of [key, { action: key }, { action: "subscribe", type: key }, { action: "ping", [key]: key }])
        yield* client.request(message, "error")
      yield* client.request({ action: "subscribe", type: "fills" }, "subscribed")
      client.close()
      yield* client.ended
      return { secret, Postgres: yield* everythingInPostgres, Redis: yield* everythingInRedis }
    }).pipe(Effect.provide(testGateway(telemetryTo(url), telemetry("9.9.9"))))
    assert.isAbove(written.join("").length, 0)
    for (const [where, text] of [...bodies, ...Object.entries({ ...stores, stderr: written.join("") })]) {
      const at = text.indexOf(secret.slice(0, -1))
      assert.strictEqual(at, -1, `${where}: ${text.slice(Math.max(0, at - 200), at + 20)}`)
    }
  }),
)
