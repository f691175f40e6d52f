import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Meter } from "#src/usage/Meter.ts"
import { serving } from "#test/http/support/serving.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({
      port: "0",
      host: "127.0.0.1",
      "http.trusted-proxies": "127.0.0.1",
      "metrics.token": "let me in",
      "limits.unauthenticated-per-minute": "1000",
    }),
  ),
)

const create = (address: string, body?: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(boundPort, (port) =>
    call(port, "/v1/keys", {
      method: "POST",
      headers: {
        "x-forwarded-for": address,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    }),
  )

layer(server, { excludeTestServices: true })("Keys over REST", (it) => {
  it.effect("each address gets one free key per day", () =>
    Effect.gen(function* () {
      const made = yield* create("192.0.2.1", '{"name":"my bot"}')
      assert.strictEqual(made.status, 201)
      assert.sameMembers(Object.keys(made.json), ["id", "api_key", "name", "rate_limit_per_minute", "message"])
      assert.match(made.json.api_key, /^psg_live_[0-9A-Za-z]{36}$/)
      assert.deepInclude(made.json, { name: "my bot", rate_limit_per_minute: 60 })
      const again = yield* create("192.0.2.1")
      assert.strictEqual(again.status, 429)
      assert.strictEqual(
        again.json.error,
        `Too many key generation requests. One free key per address and day. Retry after ${again.json.reset_at}.`,
      )
      assert.isAbove(Number(again.headers["retry-after"]), 0)
      assert.strictEqual(made.headers["cache-control"], "no-store")
      assert.strictEqual(again.json.reset_at % 86_400, 0)
      const listed = yield* askWith(made.json.api_key, "/v1/keys")
      assert.strictEqual(listed.headers["x-ratelimit-limit"], "60")
      assert.deepInclude(listed.json, { plan: "free", keys_allowed: 1 })
      assert.lengthOf(listed.json.keys, 1)
      assert.deepInclude(listed.json.keys[0], { name: "my bot", revoked_at: null, is_this: true })
      assert.notInclude(listed.text, made.json.api_key)
    }),
  )

  it.effect("a new key can be revoked by the id that its creation answers", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const made = yield* askWith(key, "/v1/keys", { method: "POST" })
      const revoked = yield* askWith(key, `/v1/keys/${made.json.id}`, { method: "DELETE" })
      assert.deepStrictEqual([made.status, revoked.status, revoked.json.id], [201, 200, made.json.id])
      assert.isNotNull(revoked.json.revoked_at)
    }),
  )

  it.effect("a missing body, an empty object and null mean no name", () =>
    Effect.gen(function* () {
      for (const [i, body] of [undefined, "{}", '{"name":null}', "null"].entries()) {
        const { status, json } = yield* create(`192.0.2.${10 + i}`, body)
        assert.deepStrictEqual([status, json.name], [201, "unnamed"], String(body))
      }
    }),
  )

  it.effect("invalid names and bodies are refused without using up the free key", () =>
    Effect.gen(function* () {
      const wrong = [
        "{",
        "[]",
        '{"name":5}',
        '{"name":""}',
        '{"name":"a\\u0000b"}',
        '{"name":"a\\nb"}',
        '{"name":"   "}',
        '{"name":"a\\u200bb"}',
        '{"name":"a\\ud800"}',
        '{"nam":"mistyped"}',
        JSON.stringify({ name: "x".repeat(101) }),
      ]
      for (const body of wrong) {
        const { status, json } = yield* create("192.0.2.30", body)
        assert.strictEqual(status, 400, body)
        assert.isString(json.error)
      }
      assert.strictEqual((yield* create("192.0.2.30", "{}", { "content-type": "text/plain" })).status, 415)
      assert.strictEqual((yield* create("192.0.2.30", "{}", { origin: "https://elsewhere.example" })).status, 403)
      assert.strictEqual((yield* create("192.0.2.30", "{", { "x-api-key": "bad" })).status, 401, "the key comes first")
      assert.strictEqual((yield* create("192.0.2.30", "{}")).status, 201)
    }),
  )

  it.effect("only a trusted proxy may forward an address", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* create("192.0.2.40")).status, 201)
      assert.strictEqual((yield* create("10.9.9.9, 192.0.2.40")).status, 429, "the left-most may be invented")
      assert.strictEqual((yield* create("2001:db8:1:2:3::4")).status, 201)
      assert.strictEqual((yield* create("2001:db8:1:2:ffff::5")).status, 429, "one network of IPv6 is one address")
    }),
  )

  it.effect("an account has at most the keys of its plan", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const more = (name: string) =>
        askWith(key, "/v1/keys", {
          method: "POST",
          body: JSON.stringify({ name }),
          headers: { "content-type": "application/json" },
        })
      const second = yield* more("second")
      assert.deepStrictEqual([second.status, second.json.rate_limit_per_minute], [201, 1000])
      assert.strictEqual(second.headers["x-ratelimit-limit"], "1000")
      assert.strictEqual((yield* more("third")).status, 201)
      const fourth = yield* more("fourth")
      assert.strictEqual(fourth.status, 409)
      assert.match(fourth.json.error, /3 keys/)
      const { json } = yield* askWith(key, "/v1/keys")
      const { id } = json.keys.find(({ name }: { name: string }) => name === "second")
      const rotated = yield* askWith(key, `/v1/keys/${id}/rotate`, { method: "POST" })
      assert.deepStrictEqual([rotated.status, rotated.json.name], [201, "second"])
      yield* eventually(
        "the old one is refused",
        Effect.map(askWith(second.json.api_key, "/v1/keys"), ({ status }) => status === 403),
      )
      assert.strictEqual((yield* askWith(rotated.json.api_key, "/v1/keys")).status, 200)
      assert.strictEqual((yield* askWith(key, `/v1/keys/${id}/rotate`, { method: "POST" })).status, 409)
    }),
  )

  it.effect("an account can revoke only its own keys", () =>
    Effect.gen(function* () {
      const mine = yield* keyOf("growth")
      const other = yield* keyOf("growth")
      const revoke = (id: string) => askWith(mine.key, `/v1/keys/${id}`, { method: "DELETE" })
      assert.strictEqual((yield* revoke(other.id)).status, 404)
      assert.strictEqual((yield* revoke("5")).status, 400)
      assert.strictEqual((yield* askWith(other.key, "/v1/keys")).status, 200)
      const done = yield* revoke(mine.id)
      assert.strictEqual(done.status, 200)
      assert.isString(done.json.revoked_at)
      yield* eventually(
        "it is refused",
        Effect.map(askWith(mine.key, "/v1/keys"), ({ status }) => status === 403),
      )
    }),
  )

  it.effect("an account can read its usage", () =>
    Effect.gen(function* () {
      const { key, account, id } = yield* keyOf("growth")
      yield* askWith(key, "/v1/keys")
      yield* askWith(key, "/v1/keys?x=1")
      yield* (yield* Meter).flush
      const { status, json } = yield* askWith(key, "/v1/usage")
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { account_id: account, requests: 2, bytes: 0 })
      assert.deepStrictEqual(json.by_family, [{ family: "keys", requests: 2, bytes: 0 }])
      assert.deepStrictEqual(json.by_key, [{ key_id: id, name: "test", requests: 2, bytes: 0 }])
      assert.strictEqual((yield* askWith(key, "/v1/usage?month=2020-01")).json.requests, 0)
      for (const month of ["2026-13", "2026-1", "last", ""]) {
        const wrong = yield* askWith(key, `/v1/usage?month=${month}`)
        assert.deepStrictEqual([wrong.status, wrong.json.param], [400, "month"])
        assert.match(wrong.json.error, /YYYY-MM/)
      }
    }),
  )

  it.effect("an account sees when its keys were last used, and can rename them", () =>
    Effect.gen(function* () {
      const { key, id } = yield* keyOf("starter")
      const made = yield* askWith(key, "/v1/keys", { method: "POST" })
      yield* (yield* Meter).flush
      const { json } = yield* askWith(key, "/v1/keys")
      const byId = (wanted: string) => json.keys.find((each: { id: string }) => each.id === wanted)
      assert.isNull(byId(made.json.id).last_used_at)
      assert.approximately(Date.parse(byId(id).last_used_at), Date.now(), 60_000)

      const rename = (of: string, body: string, by = key) =>
        askWith(by, `/v1/keys/${of}`, { method: "PUT", headers: { "content-type": "application/json" }, body })
      const renamed = yield* rename(id, '{"name":"laptop"}')
      assert.deepStrictEqual([renamed.status, renamed.json.name, renamed.json.is_this], [200, "laptop", true])
      for (const body of ["{}", '{"name":""}', '{"name":null}', '{"name":"psg_live_abcdef"}', '{"name":"a","x":1}']) {
        assert.strictEqual((yield* rename(id, body)).status, 400, body)
      }
      const other = yield* keyOf("starter")
      assert.strictEqual((yield* rename(id, '{"name":"mine"}', other.key)).status, 404)
      assert.include((yield* askWith(key, "/v1/keys")).text, '"laptop"')
    }),
  )

  it.effect("an account sees its limits and what it uses of them, over all its keys", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const second = yield* askWith(key, "/v1/keys", { method: "POST" })
      const { status, json } = yield* askWith(second.json.api_key, "/v1/limits")
      assert.strictEqual(status, 200)
      const limit = (name: string) => json.limits.find((each: { name: string }) => each.name === name)
      assert.deepInclude(limit("requests"), { period: "minute", used: 2, limit: 1000 })
      assert.approximately(limit("requests").reset_at, Date.now() / 1000 + 60, 30)
      assert.deepInclude(limit("heavy_requests"), { used: 0, limit: 1000 })
      assert.deepInclude(limit("keys"), { period: "at_once", used: 2, limit: 3, reset_at: null })
      assert.deepInclude(limit("webhook_deliveries"), { period: "day", used: 0, limit: 50_000 })
      assert.deepInclude(limit("social_requests"), { period: "month", used: 0, limit: 500 })
      assert.deepInclude(json, { plan: "starter" })
      const { json: free } = yield* askWith((yield* keyOf("free")).key, "/v1/limits")
      assert.deepStrictEqual(free.streams, { snapshot_count: 20, since_seconds: 30, session_seconds_per_day: 3600 })
    }),
  )

  it.effect("metrics require the token or a local request", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const ask = (headers: Record<string, string>) =>
        Effect.map(call(port, "/metrics", { headers }), ({ status }) => status)
      assert.strictEqual(yield* ask({}), 403, "once there is a token it is needed")
      assert.strictEqual(yield* ask({ authorization: "Bearer let me in" }), 200)
      assert.strictEqual(yield* ask({ "x-forwarded-for": "192.0.2.1" }), 403)
      assert.strictEqual(yield* ask({ "x-forwarded-for": "192.0.2.1", authorization: "Bearer let me out" }), 403)
      assert.strictEqual(yield* ask({ "x-forwarded-for": "192.0.2.1", authorization: "Bearer let me in" }), 200)
    }),
  )

  it.effect("unknown keys are 503 while the store is down, and cached keys keep working", () =>
    Effect.gen(function* () {
      const known = yield* keyOf("growth")
      const fresh = yield* keyOf("growth")
      assert.strictEqual((yield* askWith(known.key, "/v1/keys")).status, 200)
      const { sql } = yield* Postgres
      yield* sql`alter table api_key rename to elsewhere`
      const answer = yield* askWith(fresh.key, "/v1/keys")
      assert.deepStrictEqual([answer.status, answer.headers["retry-after"]], [503, "2"])
      assert.strictEqual((yield* askWith(known.key, "/v1/usage?month=x")).status, 400, "past the key")
      yield* sql`alter table elsewhere rename to api_key`
      assert.strictEqual((yield* askWith(fresh.key, "/v1/keys")).status, 200)
    }),
  )
})
