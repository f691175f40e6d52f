import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { Admission } from "#src/access/Admission.ts"
import { anyKey } from "#src/access/Rule.ts"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { generate } from "#src/secrets/keyFormat.ts"
import { Meter } from "#src/usage/Meter.ts"
import { eventually } from "#test/support/eventually.ts"
import { type Answer, call } from "./support/client.ts"
import { gatedServer } from "./support/GatedApi.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"

const noKey = "Missing or invalid API key. Use x-api-key header or ?key= param."

const ask = (path: string, key: string, headers: Record<string, string> = {}) => askWith(key, path, { headers })

const limited = (account: AccountId, standard: number, heavy?: number) =>
  Effect.flatMap(Keys, (keys) =>
    keys.setLimits(account, {
      standard: PerMinute.make(standard),
      ...(heavy !== undefined && { heavy: PerMinute.make(heavy) }),
    }),
  )

const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status)

describe("Access", () => {
  layer(gatedServer({ "limits.unauthenticated-per-minute": "10000" }), { excludeTestServices: true })((it) => {
    it.effect("a key in either header or the query is accepted, and the answer has the limit status", () =>
      Effect.gen(function* () {
        const port = yield* boundPort
        const { key } = yield* keyOf("starter")
        const answers = [
          yield* call(port, "/v1/gated/plain", { headers: { "x-api-key": key } }),
          yield* call(port, "/v1/gated/plain", { headers: { authorization: `bearer ${key}` } }),
          yield* call(port, `/v1/gated/plain?key=${key}`),
          yield* call(port, `/v1/gated/plain?key=${key}&key=${key}`, { headers: { "x-api-key": key } }),
        ]
        for (const [i, { status, json, headers }] of answers.entries()) {
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(json, { plan: "starter" })
          assert.strictEqual(headers["x-ratelimit-limit"], "1000")
          assert.strictEqual(headers["x-ratelimit-remaining"], String(999 - i))
          assert.isAbove(Number(headers["x-ratelimit-reset"]), 1_700_000_000)
        }
        assert.strictEqual(answers[2]?.headers["referrer-policy"], "no-referrer")
      }),
    )

    it.effect("missing, mistyped, invented, multiple and revoked keys are refused", () =>
      Effect.gen(function* () {
        const port = yield* boundPort
        const { key, id } = yield* keyOf("growth")
        const other = yield* keyOf("growth")
        const mistyped = `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`
        const missing = yield* call(port, "/v1/gated/plain")
        assert.deepInclude(missing.json, { error: noKey })
        assert.match(missing.json.hint, /POST \/v1\/keys/)
        const wrong = [
          missing,
          yield* ask("/v1/gated/plain", ""),
          yield* ask("/v1/gated/plain", "garbage"),
          yield* ask("/v1/gated/plain", key.slice(0, 20)),
          yield* ask("/v1/gated/plain", mistyped),
          yield* ask("/v1/gated/plain", generate()),
          yield* ask("/v1/gated/plain", key, { authorization: `Bearer ${other.key}` }),
          yield* ask(`/v1/gated/plain?key=${other.key}`, key),
          yield* call(port, `/v1/gated/plain?key=${key}&key=${other.key}`),
          yield* call(port, "/v1/gated/plain", { headers: { authorization: `Basic ${key}` } }),
          yield* call(port, "/v1/gated/plain", {
            headers: { authorization: [`Bearer ${key}`, `Bearer ${other.key}`] },
          }),
          yield* call(port, "/v1/gated/plain", { headers: { "x-api-key": [key, other.key] } }),
        ]
        for (const { status, json } of wrong) {
          assert.strictEqual(status, 401)
          assert.strictEqual(json.error, noKey)
        }
        for (const several of wrong.slice(-2)) assert.match(several.json.hint, /several different keys/)
        assert.deepStrictEqual(wrong[4]?.json, wrong[5]?.json, "a mistyped and an unknown key get the same answer")
        yield* (yield* Keys).revoke(id)
        const revoked = yield* eventually(
          "the revoked key is refused",
          Effect.map(ask("/v1/gated/plain", key), ({ status }) => status === 403),
        ).pipe(Effect.andThen(ask("/v1/gated/plain", key)))
        assert.strictEqual(revoked.json.error, "Invalid or inactive API key.")
      }),
    )

    it.effect("path, key, plan, limits and parameters are checked in this order", () =>
      Effect.gen(function* () {
        const port = yield* boundPort
        const free = yield* keyOf("free")
        yield* limited(free.account, 1)
        assert.strictEqual((yield* call(port, "/v1/gated/none?x=1")).status, 404)
        assert.strictEqual((yield* call(port, "/v3/gated/paid?x=1")).status, 401)
        assert.strictEqual((yield* ask("/v3/gated/paid?x=1", free.key)).status, 402)
        const paths = ["/v1/gated/plain?x=1", "/v1/gated/plain?x=1", "/v3/gated/paid?x=1"]
        assert.deepStrictEqual(statuses(yield* Effect.forEach(paths, (path) => ask(path, free.key))), [400, 429, 402])
        assert.strictEqual((yield* call(port, "/v1/gated/open?x=1")).status, 400)
        assert.strictEqual((yield* call(port, "/v1/gated/open")).status, 200)
      }),
    )

    it.effect(
      "each plan may call the endpoints of its level; a free key is refused with 402, a paid plan that is too low with 403",
      () =>
        Effect.gen(function* () {
          const expected = {
            free: { "/v1/gated/plain": 200, "/v3/gated/paid": 402, "/v3/gated/heavy": 402, "/v2/gated/growth": 402 },
            starter: { "/v1/gated/plain": 200, "/v3/gated/paid": 200, "/v3/gated/heavy": 200, "/v2/gated/growth": 403 },
            growth: { "/v1/gated/plain": 200, "/v3/gated/paid": 200, "/v3/gated/heavy": 200, "/v2/gated/growth": 200 },
            enterprise: {
              "/v1/gated/plain": 200,
              "/v3/gated/paid": 200,
              "/v3/gated/heavy": 200,
              "/v2/gated/growth": 200,
            },
          } as const
          for (const [plan, paths] of Object.entries(expected)) {
            const { key } = yield* keyOf(plan as Plan)
            for (const [path, status] of Object.entries(paths)) {
              const answer = yield* ask(path, key)
              assert.strictEqual(answer.status, status, `${plan} ${path}`)
              if (status !== 200) assert.deepInclude(answer.json, { plan })
            }
          }
        }),
    )

    it.effect("every request is charged except those over a limit", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("starter")
        yield* limited(account, 3)
        const answers = yield* Effect.forEach(
          ["/v1/gated/plain?x=1", "/v1/gated/plain?n=404", "/v1/gated/plain", "/v1/gated/plain", "/v1/gated/plain"],
          (path) => ask(path, key),
        )
        assert.deepStrictEqual(statuses(answers), [400, 404, 200, 429, 429])
        const [, , last, over, again] = answers
        assert.strictEqual(last?.headers["x-ratelimit-remaining"], "0")
        const reset = Number(over?.headers["x-ratelimit-reset"])
        assert.strictEqual(over?.json.error, `Rate limit exceeded. Retry after ${reset}.`)
        assert.strictEqual(again?.headers["x-ratelimit-reset"], String(reset), "a refusal does not move the end")
        assert.isAtLeast(Number(over?.headers["retry-after"]), 1)
        assert.isAtMost(Number(over?.headers["retry-after"]), 61)
      }),
    )

    it.effect("keys of an account share its limits, and the stricter of two limits is reported", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("growth")
        yield* limited(account, 5, 2)
        const second = Redacted.value((yield* (yield* Keys).createKey(account, KeyName.make("second"))).key)
        const first = yield* ask("/v3/gated/heavy", key)
        assert.deepInclude(first.headers, { "x-ratelimit-limit": "2", "x-ratelimit-remaining": "1" })
        assert.strictEqual((yield* ask("/v3/gated/heavy", second)).status, 200)
        const refused = yield* ask("/v3/gated/heavy", key)
        assert.strictEqual(refused.status, 429)
        const resetAt = Number(refused.headers["x-ratelimit-reset"])
        assert.deepStrictEqual(refused.json, { error: "rate limit exceeded", scope: "v3_heavy", reset_at: resetAt })
        const rest = yield* Effect.forEach([key, second, key, second], (each) => ask("/v1/gated/plain", each))
        assert.deepStrictEqual(statuses(rest), [200, 200, 200, 429], "the refused heavy one cost nothing")
      }),
    )

    it.effect("an endpoint with a per-key limit limits each key", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("growth")
        const second = Redacted.value((yield* (yield* Keys).createKey(account, KeyName.make("second"))).key)
        // Both at once, because the window is one second long.
        const [one, two, other] = yield* Effect.all(
          [ask("/v2/gated/rare", key), ask("/v2/gated/rare", key), ask("/v2/gated/rare", second)],
          { concurrency: 3 },
        )
        assert.sameMembers(statuses([one, two]), [200, 429])
        assert.strictEqual(other.status, 200)
        const refused = [one, two].find(({ status }) => status === 429)
        assert.strictEqual(refused?.json.scope, "social")
        const { json } = yield* ask("/openapi.json", key)
        assert.isObject(json)
        const metrics = yield* PrometheusMetrics.format()
        assert.match(metrics, /presage_limits_refused_total\{bucket="social"\}/)
        assert.notInclude(metrics, account)
      }),
    )

    it.effect("a rotated key keeps the limit status of the old one", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const { id, account } = yield* keyOf("growth")
        const caller = (lineage: KeyId) =>
          ({ account, key: lineage, lineage, plan: "growth", standardPerMinute: 10, heavyPerMinute: 10 }) as const
        const rotated = yield* keys.rotate(id)
        const again = yield* keys.rotate(rotated.record.id)
        assert.deepStrictEqual([rotated.record.lineage, again.record.lineage], [id, id])
        const { admit } = yield* Admission
        const rare = { ...anyKey, perKey: { name: "rare", limit: 1, windowMillis: 3_600_000 } }
        assert.strictEqual((yield* admit(caller(id), rare, "test")).limits.remaining, 0)
        assert.strictEqual((yield* Effect.flip(admit(caller(again.record.lineage), rare, "test"))).status, 429)
      }),
    )

    it.effect("only answers with status 200 use monthly units", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("starter")
        const paths = ["/v2/gated/units", "/v2/gated/units?missing=yes", "/v2/gated/units", "/v2/gated/units"]
        const answers = yield* Effect.forEach([...paths, "/v2/gated/units"], (path) => ask(path, key))
        assert.deepStrictEqual(statuses(answers), [200, 404, 200, 200, 429])
        assert.strictEqual(answers[0]?.headers["x-quota-remaining"], "2")
        assert.strictEqual(answers[3]?.headers["x-quota-remaining"], "0")
        assert.strictEqual(answers[4]?.json.scope, "social_quota")
        assert.isAbove(Number(answers[4]?.headers["retry-after"]), 0)
        const after = yield* ask("/v1/gated/plain", key)
        assert.strictEqual(after.headers["x-ratelimit-remaining"], "995", "the refused one cost nothing")
      }),
    )

    it.effect("admitted requests are metered by key and group", () =>
      Effect.gen(function* () {
        const { key, account, id } = yield* keyOf("starter")
        yield* Effect.forEach(["/v1/gated/plain", "/v1/gated/plain?x=1", "/v2/gated/growth"], (path) => ask(path, key))
        yield* (yield* Meter).flush
        const { sql } = yield* Postgres
        const rows = yield* sql`select key_id, family, requests from usage_day where account_id = ${account}`
        assert.deepStrictEqual(rows, [{ key_id: id, family: "gated", requests: 2n }])
      }),
    )

    it.effect("access rules are documented in OpenAPI", () =>
      Effect.gen(function* () {
        const { json } = yield* call(yield* boundPort, "/openapi.json")
        const { get: heavy } = json.paths["/v3/gated/heavy"]
        assert.deepStrictEqual(heavy["x-access"], { key: "needed", least_plan: "starter", heavy: true })
        assert.containsAllKeys(heavy.responses, ["200", "401", "402", "403", "429"])
        assert.match(heavy.description, /starter plan or above \(otherwise 402\); also counts against the heavy limit/)
        assert.deepStrictEqual(heavy.security, [{ header: [] }, { bearer: [] }, { query: [] }])
        const { get: open } = json.paths["/v1/gated/open"]
        assert.doesNotHaveAnyKeys(open.responses, ["401", "403", "429"])
        assert.isEmpty(open.security)
        assert.containsAllKeys(json.components.securitySchemes, ["header", "bearer", "query"])
      }),
    )
  })

  layer(gatedServer({ "limits.unauthenticated-per-minute": "5", "http.trusted-proxies": "127.0.0.1" }), {
    excludeTestServices: true,
  })((it) => {
    const from = (address: string, headers: Record<string, string> = {}) =>
      Effect.flatMap(boundPort, (port) =>
        call(port, "/v1/gated/plain", { headers: { "x-forwarded-for": address, ...headers } }),
      )

    it.effect("an address that repeatedly sends no valid key is limited, and no other address is", () =>
      Effect.gen(function* () {
        const answers = yield* Effect.forEach(Array.from({ length: 7 }), (_, i) => from(`2001:db8::${i + 1}`))
        assert.deepStrictEqual(statuses(answers), [401, 401, 401, 401, 401, 429, 429])
        assert.strictEqual(answers[6]?.json.scope, "address")
        assert.strictEqual((yield* from("192.0.2.1")).status, 401)
        const { key } = yield* keyOf("free")
        assert.strictEqual((yield* from("2001:db8::1", { "x-api-key": key })).status, 200)
        const good = { "x-forwarded-for": "2001:db8::1" }
        const paid = yield* Effect.forEach(Array.from({ length: 7 }), () =>
          askWith(key, "/v3/gated/paid", { headers: good }),
        )
        assert.deepStrictEqual(
          [...new Set(statuses(paid))],
          [402],
          "a caller with a valid key is not limited by address",
        )
      }),
    )
  })
})
