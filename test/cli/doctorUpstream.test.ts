import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { whatWorks } from "#src/cli/doctor/upstream/works.ts"
import { examineUpstream } from "#src/cli/doctor/upstream.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"

const findings = (url: string, flags: Readonly<Record<string, string>> = {}) =>
  Effect.provide(examineUpstream, Endpoints.at(url).pipe(Layer.provideMerge(testConfiguration(flags))))

const examined = (url: string, flags: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    findings(url, flags),
    (found) =>
      new Map(found.map(({ check, state, detail }) => [check.replace(/ ?127\.0\.0\.1:\d+/, ""), { state, detail }])),
  )

/** The settings of the real venue, at this address, as a proxy or a recording would have them. */
const realVenueAt = (url: string) => {
  const socket = url.replace(/^http/, "ws")
  return {
    upstream: "polymarket",
    "upstream.rpc-url": `${url}/rpc`,
    "upstream.rpc-socket-url": `${socket}/rpc`,
    "upstream.gamma-url": `${url}/gamma`,
    "upstream.clob-url": `${url}/clob`,
    "upstream.clob-socket-url": `${socket}/clob/ws/market`,
    "upstream.data-url": `${url}/data`,
    "upstream.site-url": `${url}/site`,
    "upstream.rtds-url": `${socket}/rtds`,
    "upstream.polybolt-url": `${socket}/polybolt/ws`,
    "upstream.sports-url": `${socket}/sports/ws`,
    "upstream.datastreams-url": `${url}/datastreams`,
    "upstream.datastreams-socket-url": `${socket}/datastreams`,
    "upstream.x-url": `${url}/x`,
  }
}

const rightCredentials = {
  "upstream.datastreams-id": "00000000-0000-4000-8000-000000000001",
  "upstream.datastreams-secret": "simulated-secret",
  "upstream.polybolt-key": "simulated-key",
  "upstream.polybolt-secret": "simulated-secret",
  "upstream.polybolt-passphrase": "simulated",
}

/** What will work, by its first words. */
const worksAt = (url: string, flags: Readonly<Record<string, string>>) =>
  Effect.map(findings(url, flags), (found) => new Map(whatWorks(found).map((each) => [each.what, each])))

/** A busy machine may not answer within the seconds that a command waits. */
const untilSeen = <A, E, R>(examine: Effect.Effect<A, E, R>, isSeen: (found: A) => boolean) =>
  Effect.repeat(examine, { until: isSeen, times: 9 })

const profile = (url: string, kind: string, parameters: object = {}, channel = "http") =>
  Effect.promise(() =>
    fetch(`${url}/_sim/faults`, {
      method: "POST",
      body: JSON.stringify({ upstream: "rpc", channel, kind, ...parameters }),
    }),
  )

layer(Layer.empty, { excludeTestServices: true })("presage doctor --upstream", (it) => {
  it.effect("says what the node and the hosts can do", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(95, { clock: Date.now, genesis: Date.now() })
      const checks = ["chain", "head", "range", "batch", "history", "balances", "socket", "pending"].map(
        (part) => `node ${part}`,
      )
      checks.push("catalogue", "scores", "prices (RTDS)", "prices (Data Streams)", "web search", "social search (X)")
      const found = yield* untilSeen(examined(url), (each) => checks.every((check) => each.get(check)?.state === "ok"))
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
      assert.deepStrictEqual(away.get("web search"), {
        state: "warn",
        detail: "nothing listens there (ECONNREFUSED)",
      })
    }),
  )

  it.effect("names the setting if there is no node, and what cannot be reached", () =>
    Effect.gen(function* () {
      const { "upstream.rpc-url": _, ...withoutNode } = realVenueAt("http://127.0.0.1:9")
      const none = yield* examined("http://127.0.0.1:9", withoutNode)
      assert.deepStrictEqual(none.get("node reachable"), { state: "fail", detail: "no node is set" })
      const away = yield* examined("http://127.0.0.1:9")
      assert.deepStrictEqual(away.get("node reachable"), {
        state: "fail",
        detail: "nothing listens there (ECONNREFUSED)",
      })
      assert.deepInclude(away.get("catalogue"), { state: "fail" })
      const works = yield* worksAt("http://127.0.0.1:9", realVenueAt("http://127.0.0.1:9"))
      for (const { what, works: answer, because } of works.values()) {
        assert.strictEqual(answer, "no", what)
        assert.match(because ?? "", /ECONNREFUSED|not configured|not given/, what)
      }
    }),
  )

  it.effect("tries the credentials of the price sources", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(97, { clock: Date.now, genesis: Date.now() })
      const prices = (found: ReadonlyMap<string, { readonly state: string; readonly detail: string }>) =>
        ["prices (Data Streams)", "prices (PolyBolt)"].map((check) => found.get(check))
      const venue = realVenueAt(url)
      const missing = yield* examined(url, venue)
      assert.deepStrictEqual(prices(missing), [
        { state: "warn", detail: "not given" },
        { state: "warn", detail: "not given" },
      ])
      const right = prices(
        yield* untilSeen(examined(url, { ...venue, ...rightCredentials }), (found) =>
          prices(found).every((each) => each?.state === "ok"),
        ),
      )
      for (const found of right) assert.match(`${found?.state} ${found?.detail}`, /^ok .*accepts the credentials/)
      const wrongCredentials = {
        ...rightCredentials,
        "upstream.datastreams-secret": "another-secret",
        "upstream.polybolt-passphrase": "another",
      }
      const wrong = prices(
        yield* untilSeen(examined(url, { ...venue, ...wrongCredentials }), (found) =>
          prices(found).every((each) => each?.detail.includes("refuses") === true),
        ),
      )
      for (const found of wrong) assert.match(`${found?.state} ${found?.detail}`, /^warn .*refuses the credentials/)
      // The older socket works, but is not followed while there are credentials.
      const works = yield* worksAt(url, { ...venue, ...wrongCredentials })
      assert.strictEqual(works.get("the platform's prices")?.works, "no")
    }),
  )

  it.effect("says what will work, and how far back the logs of the node go", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(98, { clock: Date.now, genesis: Date.now() })
      const venue = realVenueAt(url)
      const kept = 20_000
      yield* profile(url, "publicnode", { kept_blocks: kept })
      const behind = "history behind the head"
      const historyOf = (history: string, expected: string) =>
        Effect.map(
          untilSeen(
            worksAt(url, { ...venue, "ledger.history": history }),
            (works) => works.get(behind)?.works === expected,
          ),
          (works) => works.get(behind),
        )
      const history = yield* historyOf("5d", "partly")
      assert.strictEqual(history?.works, "partly")
      const [, oldest] = /from block (\d+)\), and LEDGER_HISTORY=5d begins/.exec(history?.because ?? "") ?? []
      assert.approximately(Number(oldest), simulation.head - kept, 500)
      const recent = yield* historyOf(`since:${simulation.head - 1_000}`, "yes")
      assert.strictEqual(recent?.works, "yes")
      assert.strictEqual((yield* historyOf("none", "yes"))?.works, "yes")
      yield* profile(url, "drpc-free", {}, "socket")
      const matches = "matches before their block"
      const hashes = yield* untilSeen(
        worksAt(url, venue),
        (works) => works.get(matches)?.because?.includes("hashes") === true,
      )
      assert.match(hashes.get(matches)?.because ?? "", /hashes of pending transactions only/)
      // A page of another service instead of a node, which has no errors of JSON-RPC.
      const other = yield* worksAt(url, { ...venue, "upstream.rpc-url": `${url}/gamma` })
      const live = other.get("trades, positions, streams and webhooks, live")
      assert.strictEqual(live?.works, "no")
      assert.match(live?.because ?? "", /but not as a node does/)
      assert.strictEqual(other.get("titles, lists of markets and games")?.works, "yes")
    }),
  )
})
