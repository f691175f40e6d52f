import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { examineUpstream } from "#src/cli/doctor/upstream.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"

const examined = (url: string, flags: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.provide(examineUpstream, Endpoints.at(url).pipe(Layer.provide(testConfiguration(flags)))),
    (findings) =>
      new Map(findings.map(({ check, state, detail }) => [check.replace(/ ?127\.0\.0\.1:\d+/, ""), { state, detail }])),
  )

const profile = (url: string, kind: string) =>
  Effect.promise(() =>
    fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify({ upstream: "rpc", channel: "http", kind }) }),
  )

layer(Layer.empty, { excludeTestServices: true })("presage doctor --upstream", (it) => {
  it.effect("says what the node and the hosts can do", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(95, { clock: Date.now, genesis: Date.now() })
      const checks = ["chain", "head", "range", "batch", "socket"].map((part) => `node ${part}`)
      checks.push("catalogue", "scores", "web search", "social search (X)")
      // A busy machine may send no block within the seconds that a command waits for one.
      const found = yield* Effect.repeat(examined(url), {
        until: (each) => checks.every((check) => each.get(check)?.state === "ok"),
        times: 9,
      })
      for (const check of checks)
        assert.strictEqual(found.get(check)?.state, "ok", `${check}: ${found.get(check)?.detail}`)
      yield* profile(url, "drpc-free")
      const limited = yield* examined(url)
      assert.deepInclude(limited.get("node batch"), { state: "warn" })
      assert.match(limited.get("node batch")?.detail ?? "", /batches of 3 calls/)
    }),
  )

  it.effect("says why the web search and X do not work", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(96, { clock: Date.now, genesis: Date.now() })
      const fault = (upstream: string, kind: string, status?: number) =>
        Effect.promise(() =>
          fetch(`${url}/_sim/faults`, {
            method: "POST",
            body: JSON.stringify({ upstream, channel: "http", kind, ...(status === undefined ? {} : { status }) }),
          }),
        )
      yield* fault("searxng", "html", 403)
      yield* fault("x", "rate_limited")
      const found = yield* examined(url)
      assert.deepStrictEqual(found.get("web search"), { state: "warn", detail: "refuses JSON" })
      assert.deepStrictEqual(found.get("social search (X)"), { state: "warn", detail: "answers 429" })
      const away = yield* examined(url, { "upstream.searxng-url": "http://user:secret@127.0.0.1:9/searx" })
      assert.deepStrictEqual(away.get("web search"), { state: "warn", detail: "ECONNREFUSED" })
    }),
  )

  it.effect("names the setting if there is no node, and what cannot be reached", () =>
    Effect.gen(function* () {
      const none = yield* examined("http://127.0.0.1:9", { upstream: "polymarket" })
      assert.deepStrictEqual([...none.values()], [{ state: "fail", detail: "no node is set" }])
      const away = yield* examined("http://127.0.0.1:9")
      assert.deepInclude(away.get("node reachable"), { state: "fail", detail: "ECONNREFUSED" })
      assert.deepInclude(away.get("catalogue"), { state: "fail" })
    }),
  )
})
