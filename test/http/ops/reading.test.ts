import { hostname } from "node:os"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { idOf } from "#src/processes/model.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { eventually } from "#test/support/eventually.ts"
import { operatorServer, ops } from "./support.ts"

interface Sample {
  readonly process: string
  readonly at: number
  readonly counts: Readonly<Record<string, number>>
}

const self = idOf({ host: hostname(), pid: process.pid })

layer(operatorServer(), { excludeTestServices: true })("What operators see", (it) => {
  it.effect("the process that answers, with its role, version and memory", () =>
    Effect.gen(function* () {
      const own = Effect.map(ops("/processes"), ({ json }) =>
        json.processes.find(({ id }: { id: string }) => id === self),
      )
      yield* eventually(
        "it has reported",
        Effect.map(own, (found) => found !== undefined),
      )
      const found = yield* own
      assert.isAbove(found.rss_bytes, 1e6)
      assert.isFalse(found.is_silent)
      assert.deepStrictEqual(found.roles, ["all"])
      assert.match(found.version, /^\d+\.\d+\.\d+/)
    }),
  )

  it.effect("long answers compressed, for clients that accept it", () =>
    Effect.gen(function* () {
      const plain = yield* ops("/settings")
      assert.isUndefined(plain.headers["content-encoding"])
      assert.strictEqual(plain.headers["vary"], "accept-encoding")
      const port = yield* boundPort
      const packed = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/ops/v1/settings`, { headers: { "accept-encoding": "gzip" } }),
      )
      assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
      assert.strictEqual(packed.headers.get("cache-control"), "no-store")
      assert.isBelow(Number(packed.headers.get("content-length")), plain.text.length / 4)
      assert.deepStrictEqual(yield* Effect.promise(() => packed.json()), plain.json)
    }),
  )

  it.effect("the last hour: samples after a moment, with the requests that were answered", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      yield* askWith(key, "/v1/keys")
      const samples = Effect.map(ops("/history"), ({ json }) => json.samples as ReadonlyArray<Sample>)
      yield* eventually(
        "a request is counted",
        Effect.map(samples, (all) => all.some((each) => each.process === self && (each.counts["http"] ?? 0) > 0)),
      )
      const at = (yield* samples).at(-1)?.at ?? 0
      const { json } = yield* ops(`/history?after=${at}`)
      assert.isTrue(json.samples.every((sample: { at: number }) => sample.at > at))
      const wrong = yield* ops("/history?after=yesterday")
      assert.strictEqual(wrong.status, 400)
      assert.strictEqual(wrong.json.param, "after")
    }),
  )

  it.effect("sources, with errors by kind", () =>
    Effect.gen(function* () {
      const { status, json, text } = yield* ops("/sources")
      assert.strictEqual(status, 200, text)
      const names = json.sources.map(({ source }: { source: string }) => source)
      assert.includeMembers(names, ["chain", "books", "catalogue", "event_log"])
      assert.isObject(json.sources[0].errors)
    }),
  )

  it.effect("actors, with the epoch of their lease", () =>
    Effect.gen(function* () {
      const lease = yield* (yield* Leases).seize("test-actor")
      const { json } = yield* ops("/actors")
      const found = json.actors.find(({ actor }: { actor: string }) => actor === "test-actor")
      assert.strictEqual(found.epoch, Number(lease.epoch))
      assert.isNull(found.process)
      assert.strictEqual(found.restarts, 0)
    }),
  )

  it.effect("the event log, and how far its relay is behind", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { tx } = yield* Postgres
      yield* tx(log.append([{ kind: "test" }, { kind: "test" }]))
      const { json } = yield* ops("/events")
      assert.strictEqual(json.head, Number(yield* log.head))
      assert.strictEqual(json.relay_lag, json.head)
      assert.strictEqual(json.tail_length, 0)
      assert.strictEqual(json.recent[0].kind, "test")
    }),
  )

  it.effect("deliveries and pollers of webhooks", () =>
    Effect.gen(function* () {
      const { account } = yield* keyOf("growth")
      const { sql } = yield* Postgres
      yield* sql`insert into webhook (id, account_id, url, event_types, filters, secret, since_seq, revision, created_at, updated_at, active, disabled_at, disabled_reason)
        values ('wh_000000000001', ${account}, 'https://hooks.example/secret-path', '{trade}', '{}', '', 0, 1, now(), now(), false, now(), 'gone')`
      yield* sql`insert into webhook_delivery (webhook, event_id, event_type, body, status, next_at, created_at)
        values ('wh_000000000001', gen_random_uuid(), 'trade', '', 'pending', now() - interval '5 minutes', now())`
      yield* sql`insert into webhook_cursor (poller, seq, block, moved_at) values ('trade', 0, 0, now())`
      const { json, text } = yield* ops("/deliveries")
      assert.deepInclude(json, { pending: 1, due: 1, disabled: 1 })
      assert.isAtLeast(json.oldest_due_seconds, 299)
      assert.strictEqual(json.pollers[0].poller, "trade")
      assert.deepInclude(json.troubled[0], { host: "hooks.example", state: "disabled", pending: 1 })
      assert.notInclude(text, "secret-path")
    }),
  )

  it.effect("limits and the accounts with the most requests", () =>
    Effect.gen(function* () {
      const { account, id } = yield* keyOf("starter")
      const { sql } = yield* Postgres
      yield* sql`insert into usage_day (account_id, key_id, day, family, requests, bytes)
        values (${account}, ${id}, (now() at time zone 'utc')::date, 'status', 1000000, 5)`
      const { json } = yield* ops("/limits")
      assert.deepInclude(json.top_accounts[0], { account_id: account, requests: 1_000_000, standard_per_minute: 1000 })
      assert.strictEqual(json.plans.length, 5)
      assert.strictEqual(json.window_seconds, 60)
    }),
  )

  it.effect("what is wrong now, in words", () =>
    Effect.gen(function* () {
      const { status, json, text } = yield* ops("/overview")
      assert.strictEqual(status, 200, text)
      const texts: ReadonlyArray<string> = json.problems.map((problem: { text: string }) => problem.text)
      assert.isTrue(
        texts.some((each) => each.includes("webhook is disabled")),
        texts.join("\n"),
      )
      assert.isTrue(texts.some((each) => /No process (follows|has ever reported) chain/.test(each)))
      const levels: ReadonlyArray<string> = json.problems.map((problem: { level: string }) => problem.level)
      assert.deepStrictEqual(
        levels,
        levels.toSorted(
          (a, b) => ["critical", "warning", "info"].indexOf(a) - ["critical", "warning", "info"].indexOf(b),
        ),
      )
    }),
  )
})
