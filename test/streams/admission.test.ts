import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { Keys } from "#src/keys/Keys.ts"
import { keys as redisKeys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { generate } from "#src/secrets/keyFormat.ts"
import { StreamAdmission, type UpgradeRequest } from "#src/streams/access/Admission.ts"
import { type KeyChange, KeyWatch } from "#src/streams/access/KeyWatch.ts"
import { SessionQuota } from "#src/streams/access/SessionQuota.ts"
import { streamAccess } from "#src/streams/access/streamAccess.ts"
import { call } from "#test/http/support/client.ts"
import { gatedServer } from "#test/http/support/GatedApi.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { withoutPostgres } from "#test/keys/support.ts"
import { eventually } from "#test/support/eventually.ts"

type Headers = ReadonlyArray<readonly [string, string]>

const admit = (query: string, headers: Headers = [], peer = "127.0.0.1") =>
  Effect.flatMap(StreamAdmission, (admission) => admission.admit({ query, headers, peer } satisfies UpgradeRequest))

const refused = (query: string, headers?: Headers, peer?: string) => Effect.flip(admit(query, headers, peer))

/** The REST answer to the same key, sent the same way. */
const overRest = (query: string, headers: Headers = []) =>
  Effect.gen(function* () {
    const all: Record<string, Array<string>> = {}
    for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value]
    const answer = yield* call(yield* boundPort, `/v1/gated/plain?${query}`, { headers: all })
    const again = answer.headers["retry-after"]
    return {
      status: answer.status,
      body: answer.json,
      headers: again === undefined ? {} : { "retry-after": again },
    }
  })

const fullDay = Effect.fnUntraced(function* (account: string) {
  const redis = yield* Redis
  const [seconds] = yield* redis.run((client) => client.time())
  // Today and tomorrow, in case midnight passes.
  for (const day of [0, 1]) {
    const date = new Date((Number(seconds) + 86_400 * day) * 1000).toISOString().slice(0, 10)
    yield* redis.run((client) => client.hset(redisKeys(redis.prefix).session(account, date), "used", 3_600_000))
  }
})

/** Revokes a key without a change notification. */
const silentlyRevoked = (id: string) =>
  Effect.flatMap(Postgres, ({ sql }) => sql`update api_key set revoked_at = now() where id = ${id}::uuid`)

/** Waits until change notifications are received. */
const listening = Effect.gen(function* () {
  const redis = yield* Redis
  yield* eventually(
    "key changes are received",
    Effect.map(
      redis.run((client) => client.pubsub("NUMSUB", redisKeys(redis.prefix).keysChanged)),
      ([, listeners]) => Number(listeners) > 0,
    ),
  )
})

const gates = (flags: Record<string, string> = {}) => streamAccess.pipe(Layer.provideMerge(gatedServer(flags)))

layer(gates({ "limits.unauthenticated-per-minute": "10000", "keys.cache": "100ms" }), { excludeTestServices: true })(
  "Upgrades",
  (it) => {
    it.effect("a key is accepted in the query and in either header, as in REST", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("growth")
        const ways: ReadonlyArray<readonly [string, Headers]> = [
          [`key=${key}`, []],
          ["", [["x-api-key", key]]],
          ["", [["authorization", `bearer ${key}`]]],
          [`key=${key}&key=${key}`, [["x-api-key", key]]],
        ]
        for (const [query, headers] of ways) {
          const client = yield* admit(query, headers)
          assert.deepInclude(client.caller, { account, plan: "growth" })
          assert.strictEqual(Redacted.value(client.key), key)
          assert.deepInclude(client, { isDeflated: false, last: undefined })
          assert.notInclude(JSON.stringify(client), key)
        }
        const client = yield* admit(`compress=zlib&key=${key}&last=a%2Fb`)
        assert.deepInclude(client, { isDeflated: true, last: "a/b" })
      }),
    )

    it.effect("missing, multiple, unknown and revoked keys get the answers of REST", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("growth")
        const revoked = yield* keyOf("growth")
        yield* (yield* Keys).revoke(revoked.id, revoked.account)
        const ways: ReadonlyArray<readonly [string, Headers]> = [
          ["", []],
          ["key=", []],
          [`key=${generate()}`, []],
          ["key=garbage", []],
          ["", [["authorization", `Basic ${key}`]]],
          [`key=${generate()}`, [["x-api-key", key]]],
          [
            "",
            [
              ["x-api-key", key],
              ["x-api-key", generate()],
            ],
          ],
          [`key=${revoked.key}`, []],
        ]
        const statuses: Array<number> = []
        for (const [query, headers] of ways) {
          const answer = yield* refused(query, headers)
          assert.deepStrictEqual(answer, yield* overRest(query, headers))
          statuses.push(answer.status)
        }
        assert.deepStrictEqual(statuses, [401, 401, 401, 401, 401, 401, 401, 403])
      }),
    )

    it.effect("unknown and invalid parameters are named in the answer, and keys never are", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("growth")
        const errorFor = (query: string) =>
          Effect.map(refused(`key=${key}&${query}`), ({ status, body }) => [status, body])
        assert.deepStrictEqual(yield* errorFor("compres=zlib"), [
          400,
          { error: 'Unknown parameter "compres". Did you mean "compress"?', param: "compres" },
        ])
        assert.deepStrictEqual(yield* errorFor("wallets=0x1"), [
          400,
          { error: 'Unknown parameter "wallets". Known parameters: key, compress, last.', param: "wallets" },
        ])
        const params: Array<unknown> = []
        for (const query of [
          "compress=gzip",
          "compress",
          "compress=zlib&compress=zlib",
          "last=",
          `last=${"x".repeat(101)}`,
          "last=%ff",
          "last=%00",
          `${key}=1`,
          "__proto__=1",
        ]) {
          const { status, body } = yield* refused(`key=${key}&${query}`)
          assert.strictEqual(status, 400)
          assert.notInclude(JSON.stringify(body), key)
          params.push(body.param)
        }
        assert.deepStrictEqual(params.slice(0, 7), ["compress", "compress", "compress", "last", "last", "last", "last"])
      }),
    )

    it.effect("an exhausted daily time is a 429 until midnight UTC, for that account only", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("free")
        const paid = yield* keyOf("starter")
        yield* admit(`key=${key}`)
        yield* fullDay(account)
        yield* fullDay(paid.account)
        const { status, body, headers } = yield* refused(`key=${key}`)
        assert.strictEqual(status, 429)
        const resetAt = Number(body.reset_at)
        assert.strictEqual(resetAt % 86_400, 0)
        assert.deepStrictEqual(body, {
          error: `The 60 minutes a day of this plan are used up. Retry after ${resetAt}.`,
          scope: "ws_session",
          limit: 3600,
          reset_at: resetAt,
        })
        assert.match(headers["retry-after"] ?? "", /^\d{1,5}$/)
        yield* admit(`key=${paid.key}`)
        assert.deepInclude(
          yield* Effect.flip(
            (yield* SessionQuota).begin(account, 3600, { onExhausted: () => undefined, onWarning: () => undefined }),
          ),
          { resetAtMillis: resetAt * 1000 },
        )
      }),
    )

    it.effect("without Postgres an unknown key gets the 503 of REST", () =>
      withoutPostgres(
        Effect.gen(function* () {
          const answer = yield* refused(`key=${generate()}`)
          assert.deepStrictEqual(answer, yield* overRest(`key=${generate()}`))
          assert.strictEqual(answer.status, 503)
        }),
      ),
    )

    it.effect("refusals are counted by reason", () =>
      Effect.gen(function* () {
        const counted = Effect.map(PrometheusMetrics.format(), (text) =>
          Number(/presage_ws_refused_upgrades_total\{reason="missing_key"\} (\d+)/.exec(text)?.[1] ?? 0),
        )
        const before = yield* counted
        yield* refused("")
        yield* refused("")
        assert.strictEqual(yield* counted, before + 2)
      }),
    )

    it.effect("open connections are notified of a revoked key, a deactivated account or a changed plan", () =>
      Effect.gen(function* () {
        const { watch } = yield* KeyWatch
        const keys = yield* Keys
        yield* listening
        const watched = Effect.fnUntraced(function* (key: string) {
          const client = yield* admit(`key=${key}`)
          const changes: Array<KeyChange> = []
          const stop = watch(client.key, client.caller, (change) => changes.push(change))
          return { changes, stop }
        })
        const accounts = [
          yield* keyOf("growth"),
          yield* keyOf("growth"),
          yield* keyOf("growth"),
          yield* keyOf("growth"),
        ]
        const [revoked, off, changed, quiet] = yield* Effect.forEach(accounts, ({ key }) => watched(key))
        const left = yield* watched(accounts[0]?.key ?? "")
        left.stop()
        const [first, second, third] = accounts
        if (!(first && second && third && revoked && off && changed && quiet)) return assert.fail("four accounts")
        yield* keys.revoke(first.id, first.account)
        yield* keys.setActive(second.account, false)
        yield* keys.setPlan(third.account, "starter")
        yield* eventually(
          "all three are notified",
          Effect.sync(() => [revoked, off, changed].every(({ changes }) => changes.length > 0)),
        )
        assert.deepStrictEqual(revoked.changes[0], { _tag: "Gone" })
        assert.deepStrictEqual(off.changes[0], { _tag: "Gone" })
        const [change] = changed.changes
        assert.strictEqual(change?._tag === "Changed" ? change.caller.plan : change?._tag, "starter")
        assert.deepStrictEqual([left.changes, quiet.changes], [[], []])
      }),
    )

    it.effect("unannounced changes are found by the periodic check, and keys that cannot be checked stay", () =>
      Effect.gen(function* () {
        const { watch, check } = yield* KeyWatch
        const { key, id } = yield* keyOf("growth")
        const client = yield* admit(`key=${key}`)
        const changes: Array<KeyChange> = []
        watch(client.key, client.caller, (change) => changes.push(change))
        yield* withoutPostgres(check)
        assert.deepStrictEqual(changes, [])
        yield* silentlyRevoked(id)
        yield* eventually(
          "the revocation is found",
          Effect.map(check, () => changes.length > 0),
        )
        assert.deepStrictEqual(changes[0], { _tag: "Gone" })
      }),
    )
  },
)

const lowLimits = {
  "limits.unauthenticated-per-minute": "3",
  "http.trusted-proxies": "127.0.0.1",
  "ws.accept-rate": "1",
}
layer(gates(lowLimits), { excludeTestServices: true })("Upgrade limits", (it) => {
  it.effect("an address without a valid key is limited as in REST, and other addresses are not", () =>
    Effect.gen(function* () {
      const from: Headers = [["x-forwarded-for", "198.51.100.7"]]
      const { key } = yield* keyOf("growth")
      for (const query of ["", "key=garbage", `key=${key}&key=${key}x`])
        assert.strictEqual((yield* refused(query, from)).status, 401)
      const answer = yield* refused("", from)
      assert.strictEqual(answer.status, 429)
      assert.match(answer.headers["retry-after"] ?? "", /^\d{1,2}$/)
      assert.deepStrictEqual(answer.body, (yield* overRest("", from)).body)
      assert.strictEqual((yield* refused("", [["x-forwarded-for", "198.51.100.8"]])).status, 401)
      assert.strictEqual((yield* refused("", from, "192.0.2.9")).status, 401)
      yield* admit(`key=${key}`, from)
    }),
  )

  it.effect("upgrades above the accept rate get different times to retry", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const results = yield* Effect.all(
        Array.from({ length: 100 }, () => Effect.flip(Effect.asVoid(admit(`key=${key}`)))).map(Effect.option),
        { concurrency: "unbounded" },
      )
      const answers = results.flatMap((result) => (Option.isSome(result) ? [result.value] : []))
      assert.isAbove(answers.length, 0)
      for (const { status, body, headers } of answers) {
        const millis = Number(body.retry_after_ms)
        assert.strictEqual(status, 503)
        assert.deepStrictEqual(body, {
          error: "Too many clients are connecting at the same time.",
          hint: "Connect again after retry_after_ms.",
          retry_after_ms: millis,
        })
        assert.isTrue(Number.isInteger(millis) && millis >= 500 && millis <= 3500)
        assert.deepStrictEqual(headers, { "retry-after": String(Math.ceil(millis / 1000)) })
      }
      assert.isAbove(new Set(answers.map(({ body }) => body.retry_after_ms)).size, 1)
      yield* eventually("an upgrade is accepted again", Effect.map(Effect.exit(admit(`key=${key}`)), Exit.isSuccess))
    }),
  )
})
