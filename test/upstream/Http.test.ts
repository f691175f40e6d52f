import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema } from "effect"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

const client = (flags: Record<string, string> = {}) =>
  UpstreamHttp.layer.pipe(Layer.provideMerge(testConfiguration(flags)), Layer.orDie)

const fault = (url: string, body: object) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(body) })
    return ((await answer.json()) as { readonly id: string }).id
  })

const hits = (url: string, id: string) =>
  Effect.promise(async () => {
    const { faults } = (await (await fetch(`${url}/_sim/faults`)).json()) as {
      readonly faults: ReadonlyArray<{ readonly id: string; readonly hits: number }>
    }
    return faults.find((each) => each.id === id)?.hits
  })

const onGamma = { upstream: "gamma", channel: "http" }

layer(venueShared(21, { scale: "tiny" }), { excludeTestServices: true })("UpstreamHttp", (it) => {
  it.effect("retries after every transient fault and finally fails with the reason", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      const ask = (flags: Record<string, string>) =>
        UpstreamHttp.use((http) => http.json("gamma", { url: `${url}/gamma/tags` })).pipe(
          Effect.provide(client({ "upstream.gamma.attempts": "3", "upstream.gamma.timeout": "500ms", ...flags })),
        )
      assert.isArray(yield* ask({}))
      for (const [kind, reason, more] of [
        ["server_error", "status", {}],
        ["down", "unreachable", {}],
        ["broken", "unreachable", {}],
        ["truncated", "malformed", {}],
        ["html", "malformed", {}],
        ["slow", "timeout", { delay_ms: 3_000 }],
        ["rate_limited", "rate-limited", { retry_after_s: 0 }],
      ] as const) {
        const id = yield* fault(url, { ...onGamma, kind, ...more })
        const failure = yield* Effect.flip(ask({}))
        assert.strictEqual(failure.reason, reason, failure.message)
        assert.strictEqual(yield* hits(url, id), 3, kind)
        yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
      }
    }),
  )

  it.effect("waits for the time given in retry-after", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      yield* fault(url, { ...onGamma, kind: "rate_limited", retry_after_s: 1 })
      const since = performance.now()
      const failure = yield* UpstreamHttp.use((http) => http.text("gamma", { url: `${url}/gamma/tags` })).pipe(
        Effect.provide(client({ "upstream.gamma.attempts": "2" })),
        Effect.flip,
      )
      assert.strictEqual(failure.status, 429)
      assert.isAtLeast(performance.now() - since, 990)
    }),
  )

  it.effect("does not retry client errors and rejects responses above the limit", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      const failureOf = (path: string, flags: Record<string, string>) =>
        UpstreamHttp.use((http) => http.decoded("gamma", Schema.String, { url: `${url}${path}` })).pipe(
          Effect.provide(client(flags)),
          Effect.flip,
        )
      const missing = yield* failureOf("/gamma/nothing", {})
      assert.deepStrictEqual([missing.reason, missing.status, missing.isTransient], ["status", 404, false])
      // The order book engine restarts.
      const early = new UpstreamFailure({ upstream: "clob", reason: "status", status: 425, detail: "" })
      assert.deepStrictEqual([early.isTransient, early.isOutage], [true, true])
      const large = yield* failureOf("/gamma/events?limit=100&closed=true", {
        "upstream.answer-limit": "1",
        "upstream.gamma.attempts": "1",
      })
      assert.strictEqual(large.reason, "too-large")
      const shape = yield* failureOf("/gamma/tags", { "upstream.gamma.attempts": "1" })
      assert.strictEqual(shape.reason, "malformed")
    }),
  )

  it.effect("retries undecodable responses with new headers for each attempt", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      let made = 0
      const ask = UpstreamHttp.use((http) =>
        http.decoded("gamma", Schema.Array(Schema.Struct({ id: Schema.String, slug: Schema.String })), {
          url: `${url}/gamma/tags`,
          headers: () => ({ "x-attempt": String(++made) }),
        }),
      ).pipe(Effect.provide(client({ "upstream.gamma.attempts": "3" })))
      assert.isNotEmpty(yield* ask)
      assert.strictEqual(made, 1)
      const id = yield* fault(url, { ...onGamma, kind: "wrong_types" })
      assert.strictEqual((yield* Effect.flip(ask)).reason, "malformed")
      assert.strictEqual(yield* hits(url, id), 3)
      assert.strictEqual(made, 4)
    }),
  )

  it.effect("opens the circuit after repeated failures and closes it when a probe succeeds", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      yield* Effect.gen(function* () {
        const http = yield* UpstreamHttp
        const ask = http.text("gamma", { url: `${url}/gamma/tags` })
        const id = yield* fault(url, { ...onGamma, kind: "server_error" })
        for (let i = 0; i < 8; i++) assert.strictEqual((yield* Effect.flip(ask)).reason, "status")
        assert.strictEqual((yield* Effect.flip(ask)).reason, "circuit-open")
        assert.deepStrictEqual(http.open(), ["gamma"])
        assert.strictEqual(yield* hits(url, id), 8)
        yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
        const back = yield* Effect.retry(ask, { times: 40, schedule: Schedule.spaced("100 millis") })
        assert.include(back, "slug")
        assert.isEmpty(http.open())
      }).pipe(Effect.provide(client({ "upstream.gamma.attempts": "1" })))
    }),
  )
})
