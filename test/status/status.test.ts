import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { ApiServer } from "#http/Server.ts"
import * as BalancesStore from "#src/balances/BalancesStore.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { SourceStatus } from "#src/status/model.ts"
import { Status } from "#src/status/Status.ts"
import { sourceMetrics } from "#src/status/sourceMetrics.ts"
import { statusReporter } from "#src/status/statusReporter.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { Rtds } from "#src/upstream/oracle/Rtds.ts"
import { call } from "#test/http/support/client.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { serving } from "#test/http/support/serving.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"

const flags = { port: "0", host: "127.0.0.1", "status.every": "100ms", "upstream.gamma.attempts": "1" }

const world = Layer.merge(ApiServer, sourceMetrics).pipe(
  Layer.provideMerge(Layer.mergeAll(serving, statusReporter, TickStore.layer)),
  Layer.provideMerge(testFoundation(flags)),
)

layer(world, { excludeTestServices: true })("Status", (it) => {
  const of = (source: string) =>
    Effect.gen(function* () {
      const { sources } = yield* (yield* Status).sources
      return sources.find((each) => each.source === source) as SourceStatus
    })
  const shows = (source: string, what: string, holds: (status: SourceStatus) => boolean) =>
    eventually(what, Effect.map(of(source), holds))
  const fault = (url: string, body: object) =>
    Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(body) }))

  it.effect("lists all sources before any data has arrived", () =>
    Effect.gen(function* () {
      const { sources, circuits_open } = yield* (yield* Status).sources
      assert.deepStrictEqual(
        sources.map(({ source }) => source),
        [
          "chain",
          "mempool",
          "oracle_data_streams",
          "platform_oracle",
          "platform_twap60",
          "books",
          "catalogue",
          "sports",
          "event_log",
        ],
      )
      for (const { source, age_seconds } of sources) assert.isNull(age_seconds, source)
      assert.isEmpty(circuits_open)
    }),
  )

  it.effect("calls the catalogue loading, not ok, until the markets of all traded tokens are read", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`
        insert into source_status (source, process, since, figures)
        values ('catalogue', 'test', now(), '{"counts": {}, "now": {"followers": 1}, "rates": {}, "moments": {"sweep": 1}, "unread": null}')`
      yield* sql`insert into catalogue_progress (name, at) values ('first-load', now()), ('closings', now())`
      yield* shows("catalogue", "it is loading", ({ state }) => state === "loading")
      yield* sql`insert into catalogue_progress (name, at) values ('mentioned', now())`
      yield* shows("catalogue", "it is complete", ({ state }) => state === "late")
      yield* sql`delete from catalogue_progress`
      yield* sql`delete from source_status where process = 'test'`
    }),
  )

  it.effect("reports the position of the ledger, its rate and its reorgs", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(61)
      yield* Effect.gen(function* () {
        const following = yield* startFollower
        yield* caughtUp(simulation, following)
        const atHead = ({ lag, details }: SourceStatus) => lag === 0 && details["block"] === simulation.head
        yield* shows("chain", "the head is reached", atHead)
        yield* shows("chain", "rows arrive", ({ rows_per_second }) => {
          // The rate counts growth between two reports, so rows must keep arriving.
          simulation.advance(2_000)
          return rows_per_second > 0
        })
        // A reorganisation of blocks that the follower has not read is none to it.
        yield* caughtUp(simulation, following)
        simulation.reorg(3)
        yield* shows("chain", "a reorganisation is counted", ({ details }) => details["reorgs"] === 1)
        const chain = yield* of("chain")
        assert.isNumber(chain.age_seconds)
        assert.strictEqual(chain.details["history"], "complete")
        yield* shows("chain", "the final block and its lag", ({ details }) => {
          const { finalized, finalized_lag: lag, head } = details
          return typeof finalized === "number" && typeof lag === "number" && finalized + lag === head
        })
        assert.isBelow(chain.reported_seconds_ago ?? Number.NaN, 60)
      }).pipe(Effect.scoped, Effect.provide(ledger), Effect.provide(nodeAt(url)))
    }),
  )

  it.effect("A11: says that there are no pending matches because the node sends hashes only", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(63)
      yield* fault(url, { upstream: "rpc", channel: "socket", kind: "drpc-free" })
      yield* Effect.gen(function* () {
        const { pending } = yield* ChainNode
        yield* Effect.forkScoped(Stream.runDrain(pending))
        yield* shows("mempool", "the reason", ({ details }) => {
          simulation.advance(1_000)
          return String(details["note"]).startsWith("the node sends hashes of pending transactions only: there are no")
        })
      }).pipe(Effect.scoped, Effect.provide(nodeAt(url)))
      yield* shows("mempool", "no reason without a follower", ({ details }) => details["note"] === null)
    }),
  )

  it.effect("shows a sample of an undecodable message", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(62, { genesis: undefined, clock: Date.now })
      yield* fault(url, { upstream: "rtds", channel: "socket", kind: "garbage", share: 1 })
      yield* Effect.gen(function* () {
        const rtds = yield* Rtds
        yield* Effect.forkScoped(Stream.runDrain(rtds.live("spot", Stream.never)))
        yield* shows("platform_oracle", "a message is undecodable", ({ undecodable }) => undecodable > 0)
        const { last_undecodable } = yield* of("platform_oracle")
        assert.strictEqual(last_undecodable?.what, "tick")
        assert.isNotEmpty(last_undecodable?.reason)
        assert.isNotEmpty(last_undecodable?.sample)
      }).pipe(Effect.scoped, Effect.provide(Rtds.layer.pipe(Layer.provide(upstreamsAt(url)))))
    }),
  )

  it.effect("lists upstreams with an open circuit until they recover", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(63)
      const open = Effect.flatMap(Status, ({ sources }) => Effect.map(sources, ({ circuits_open }) => circuits_open))
      yield* Effect.gen(function* () {
        const http = yield* UpstreamHttp
        const ask = Effect.exit(http.text("gamma", { url: `${url}/gamma/tags` }))
        yield* fault(url, { upstream: "gamma", channel: "http", kind: "server_error" })
        yield* Effect.repeat(ask, { times: 8 })
        yield* eventually(
          "the circuit of gamma is open",
          Effect.map(open, (names) => names.includes("gamma")),
        )
        yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
        yield* eventually(
          "the circuit of gamma is closed",
          Effect.map(Effect.andThen(ask, open), (names) => !names.includes("gamma")),
        )
      }).pipe(Effect.provide(upstreamsAt(url)))
    }),
  )

  it.effect("reports oracle seconds that may still arrive and those that never will", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const { sql } = yield* Postgres
      const lease = yield* (yield* Leases).seize("ticks")
      const [row] = yield* sql<{ now: Date }>`select now() as now`
      const now = Math.floor((row?.now.getTime() ?? 0) / 1000)
      const tickAt = (second: number) => {
        const at = (now + second) * 1000
        return { coin: "BTC" as const, at, ...quoteOf(2n, 1n, 3n), receivedAt: at }
      }
      yield* store.record(lease, "platform_oracle", {
        ticks: [-600, -599, -590, -400, -399].map(tickAt),
        settled: [{ coin: "BTC", from: now - 600, to: now - 590 }],
      })
      yield* shows("platform_oracle", "a range is lost", ({ gaps }) => gaps?.lost === 1)
      const { gaps, details, age_seconds } = yield* of("platform_oracle")
      assert.deepInclude(details, { feeds: 1, oldest_feed: "BTC", seconds_lost: 8 })
      // From -589 to -400, and from -398 to now.
      assert.strictEqual(gaps?.open, 2)
      assert.isAtLeast(age_seconds ?? 0, 399)
      const port = yield* boundPort
      yield* eventually(
        "the metrics show it",
        Effect.map(call(port, "/metrics"), ({ text }) =>
          /presage_source_gaps\{source="platform_oracle"\} 1\n/.test(text),
        ),
      )
    }),
  )

  it.effect("reports a source without followers, and the age of its last report", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const figures = { counts: { rows: 7 }, rates: { rows: 5 }, moments: { heard: 1 }, now: { followers: 1 } }
      const report = (ago: string) => sql`
        insert into source_status (source, process, at, since, figures)
        values ('sports', 'elsewhere:1', now() - ${ago}::interval, now() - interval '2 days',
          ${JSON.stringify({ ...figures, unread: null })}::jsonb)
        on conflict (source, process) do update set at = excluded.at`
      yield* report("1 second")
      yield* shows("sports", "it is followed", ({ state, rows_per_second }) => state === "ok" && rows_per_second === 5)
      yield* report("1 hour")
      yield* shows(
        "sports",
        "it is stopped",
        ({ state, rows_per_second }) => state === "stopped" && rows_per_second === 0,
      )
      const { reported_seconds_ago, details } = yield* of("sports")
      assert.isAtLeast(reported_seconds_ago ?? 0, 3_600)
      assert.deepStrictEqual(details, { scores: 7 })
    }),
  )

  it.effect("shows the last comparison with the node's balances, also as a metric", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const balances = Effect.flatMap(Status, ({ sources }) => Effect.map(sources, (report) => report.balances))
      assert.deepStrictEqual(yield* balances, {
        state: "unknown",
        reason: "not compared yet",
        checked_seconds_ago: null,
        block: null,
        wallets: 0,
        compared: 0,
        differences: 0,
        samples: [],
      })
      const sample = { wallet: "0x01", token_id: "5", ledger: "9007199254740993", node: "0" }
      const result = { block: 7, wallets: 2, compared: 30, differences: 1, samples: [sample], problem: null }
      yield* BalancesStore.saveResult(sql, result)
      const { key } = yield* keyOf("enterprise")
      const port = yield* boundPort
      yield* eventually(
        "the response shows the difference",
        Effect.map(askWith(key, "/v1/status"), ({ json }) => json.balances.state === "different"),
      )
      const { json } = yield* askWith(key, "/v1/status")
      const { checked_seconds_ago, ...shown } = json.balances
      assert.isBelow(checked_seconds_ago, 60)
      const { problem, ...figures } = result
      assert.deepStrictEqual(shown, { state: "different", reason: problem, ...figures })
      yield* eventually(
        "the metrics show it",
        Effect.map(call(port, "/metrics"), ({ text }) => /presage_ledger_balance_differences 1\n/.test(text)),
      )
      yield* BalancesStore.saveResult(sql, { ...result, problem: "the node did not answer; see the log" })
      yield* eventually(
        "the reason is shown",
        Effect.map(balances, ({ state, reason }) => state === "unknown" && reason?.startsWith("the node") === true),
      )
    }),
  )

  it.effect("is served with a key, refuses unknown parameters and responds 503 when a store is unavailable", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const ask = (query = "") => askWith(key, `/v1/status${query}`)
      const { sql } = yield* Postgres
      yield* eventually(
        "the ledger's wallets are counted",
        Effect.map(ask(), ({ json }) => json.state.wallet_count > 0),
      )
      const { status, json } = yield* ask()
      assert.strictEqual(status, 200)
      const [cursor] = yield* sql<{ block: number }>`select block from chain_cursor`
      assert.strictEqual(json.state.latest_block, cursor?.block)
      assert.isAbove(json.state.events_processed, 0)
      assert.isAbove(json.redis_memory, 0)
      assert.lengthOf(json.sources, 9)
      assert.deepInclude(json, { pending_txs: 0, ws_subscribers: 0, firehose_connections: 0 })
      const wrong = yield* ask("?verbose=1")
      assert.deepStrictEqual([wrong.status, wrong.json.param], [400, "verbose"])
      yield* sql`alter table source_status rename to elsewhere`
      yield* eventually(
        "the response is 503",
        Effect.map(ask(), (answer) => answer.status === 503 && answer.json.hint !== undefined),
      )
      yield* sql`alter table elsewhere rename to source_status`
      yield* eventually(
        "the response is 200 again",
        Effect.map(ask(), (answer) => answer.status === 200),
      )
    }),
  )
})
