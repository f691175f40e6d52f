import { assert, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { traced } from "#src/platform/telemetry/Sampling.ts"
import { telemetry } from "#src/platform/telemetry/Telemetry.ts"
import { collector } from "#test/platform/support/collector.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

const secret = "psg_live_Zx9kQ2mW7pLr4TnB8vYc1DfG5hJs3A123456"

const exported = (flags: Record<string, string>) =>
  Effect.gen(function* () {
    const { url, bodies } = yield* collector
    const work = Effect.gen(function* () {
      yield* Effect.logInfo(`a request with ?key=${secret} came in`)
      yield* Effect.logDebug("not at this level")
      yield* Metric.update(
        Metric.counter("presage_telemetry_test_total", { attributes: { url: `/x?key=${secret}` } }),
        1,
      )
    })
    yield* traced("telemetry test", () => ({ url: `/v1/x?key=${secret}` }), work).pipe(
      Effect.provide(
        telemetry("9.9.9").pipe(Layer.provide(testConfiguration({ "otel.exporter.otlp.endpoint": url, ...flags }))),
      ),
    )
    return bodies
  })

it.live("logs, spans and metrics reach the collector without secrets", () =>
  Effect.gen(function* () {
    const bodies = yield* exported({ "otel.sample-ratio": "1", "log.level": "info" })
    assert.include(bodies.get("/v1/logs"), "came in")
    assert.notInclude(bodies.get("/v1/logs"), "not at this level")
    assert.include(bodies.get("/v1/traces"), "telemetry test")
    assert.include(bodies.get("/v1/metrics"), "presage_telemetry_test_total")
    const everything = [...bodies.values()].join()
    assert.include(everything, "key=<redacted>")
    assert.notInclude(everything, secret.slice(9))
  }),
)

it.live("work that is not sampled sends no span", () =>
  Effect.map(exported({ "otel.sample-ratio": "0" }), (bodies) => assert.isUndefined(bodies.get("/v1/traces"))),
)
