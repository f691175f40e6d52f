import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { Keys } from "#src/keys/Keys.ts"
import { keys as redisKeys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { generate } from "#src/secrets/keyFormat.ts"
import { Doorkeeper, type Knock } from "#src/streams/access/Admission.ts"
import { type KeyChange, KeyWatch } from "#src/streams/access/KeyWatch.ts"
import { Sessions } from "#src/streams/access/Sessions.ts"
import { streamAccess } from "#src/streams/access/streamAccess.ts"
import { call } from "#test/http/support/client.ts"
import { gatedServer } from "#test/http/support/GatedApi.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { withoutPostgres } from "#test/keys/support.ts"
import { eventually } from "#test/support/eventually.ts"

type Headers = ReadonlyArray<readonly [string, string]>

const knock = (query: string, headers: Headers = [], peer = "127.0.0.1") =>
  Effect.flatMap(Doorkeeper, ({ admit }) => admit({ query, headers, peer } satisfies Knock))

const refused = (query: string, headers?: Headers, peer?: string) => Effect.flip(knock(query, headers, peer))

/** What REST answers to the same key, given the same way. */
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
  // Of the days on which the test may run, so that it does not depend on the hour.
  for (const day of [0, 1]) {
    const date = new Date((Number(seconds) + 86_400 * day) * 1000).toISOString().slice(0, 10)
    yield* redis.run((client) => client.hset(redisKeys(redis.prefix).session(account, date), "used", 3_600_000))
  }
})

/** As by somebody who tells nobody. */
const silentlyRevoked = (id: string) =>
  Effect.flatMap(Postgres, ({ sql }) => sql`update api_key set revoked_at = now() where id = ${id}::uuid`)

/** What is announced before that is found out later. */
const listening = Effect.gen(function* () {
  const redis = yield* Redis
  yield* eventually(
    "changes of keys are heard",
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
    it.effect("a key is taken from the address and from either header, as REST does", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("growth")
        const ways: ReadonlyArray<readonly [string, Headers]> = [
          [`key=${key}`, []],
          ["", [["x-api-key", key]]],
          ["", [["authorization", `bearer ${key}`]]],
          [`key=${key}&key=${key}`, [["x-api-key", key]]],
        ]
        for (const [query, headers] of ways) {
          const guest = yield* knock(query, headers)
          assert.deepInclude(guest.caller, { account, plan: "growth" })
          assert.strictEqual(Redacted.value(guest.key), key)
          assert.deepInclude(guest, { isDeflated: false, last: undefined })
          assert.notInclude(JSON.stringify(guest), key)
        }
        const guest = yield* knock(`compress=zlib&key=${key}&last=a%2Fb`)
        assert.deepInclude(guest, { isDeflated: true, last: "a/b" })
      }),
    )

    it.effect("keys that are missing, several, unknown or revoked are refused in the words of REST", () =>
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

    it.effect("parameters that are unknown, wrong or broken are named, and no key is repeated", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("growth")
        const complaintOf = (query: string) =>
          Effect.map(refused(`key=${key}&${query}`), ({ status, body }) => [status, body])
        assert.deepStrictEqual(yield* complaintOf("compres=zlib"), [
          400,
          { error: 'Unknown parameter "compres". Did you mean "compress"?', param: "compres" },
        ])
        assert.deepStrictEqual(yield* complaintOf("wallets=0x1"), [
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

    it.effect("the free plan's hour of today is over: 429 until midnight UTC, and nobody else is concerned", () =>
      Effect.gen(function* () {
        const { key, account } = yield* keyOf("free")
        const paid = yield* keyOf("starter")
        yield* knock(`key=${key}`)
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
        yield* knock(`key=${paid.key}`)
        assert.deepInclude(
          yield* Effect.flip(
            (yield* Sessions).begin(account, 3600, { onOver: () => undefined, onWarning: () => undefined }),
          ),
          { resetAtMillis: resetAt * 1000 },
        )
      }),
    )

    it.effect("without Postgres an unknown key is 503 in the words of REST", () =>
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

    it.effect("open connections hear that their key was revoked, its account switched off or its plan changed", () =>
      Effect.gen(function* () {
        const { watch } = yield* KeyWatch
        const keys = yield* Keys
        yield* listening
        const watched = Effect.fnUntraced(function* (key: string) {
          const guest = yield* knock(`key=${key}`)
          const heard: Array<KeyChange> = []
          const stop = watch(guest.key, guest.caller, (change) => heard.push(change))
          return { heard, stop }
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
          "all three heard",
          Effect.sync(() => [revoked, off, changed].every(({ heard }) => heard.length > 0)),
        )
        assert.deepStrictEqual(revoked.heard[0], { _tag: "Gone" })
        assert.deepStrictEqual(off.heard[0], { _tag: "Gone" })
        const [change] = changed.heard
        assert.strictEqual(change?._tag === "Changed" ? change.caller.plan : change?._tag, "starter")
        assert.deepStrictEqual([left.heard, quiet.heard], [[], []])
      }),
    )

    it.effect(
      "what nobody announced is found when all keys are looked at, and a key that cannot be checked is left",
      () =>
        Effect.gen(function* () {
          const { watch, check } = yield* KeyWatch
          const { key, id } = yield* keyOf("growth")
          const guest = yield* knock(`key=${key}`)
          const heard: Array<KeyChange> = []
          watch(guest.key, guest.caller, (change) => heard.push(change))
          yield* withoutPostgres(check)
          assert.deepStrictEqual(heard, [])
          yield* silentlyRevoked(id)
          yield* eventually(
            "it is found out",
            Effect.map(check, () => heard.length > 0),
          )
          assert.deepStrictEqual(heard[0], { _tag: "Gone" })
        }),
    )
  },
)

const fewStrangers = {
  "limits.unauthenticated-per-minute": "3",
  "http.trusted-proxies": "127.0.0.1",
  "ws.accept-rate": "1",
}
layer(gates(fewStrangers), { excludeTestServices: true })("Storms", (it) => {
  it.effect("an address that keeps coming without a good key is stopped as by REST, and nobody else", () =>
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
      yield* knock(`key=${key}`, from)
    }),
  )

  it.effect("of many at once those that are too many are told to come again, each at another time", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const outcomes = yield* Effect.all(
        Array.from({ length: 100 }, () => Effect.flip(Effect.asVoid(knock(`key=${key}`)))).map(Effect.option),
        { concurrency: "unbounded" },
      )
      const answers = outcomes.flatMap((outcome) => (Option.isSome(outcome) ? [outcome.value] : []))
      assert.isAbove(answers.length, 0)
      for (const { status, body, headers } of answers) {
        const millis = Number(body.retry_after_ms)
        assert.strictEqual(status, 503)
        assert.deepStrictEqual(body, {
          error: "Too many connect at the same time.",
          hint: "Connect again after retry_after_ms.",
          retry_after_ms: millis,
        })
        assert.isTrue(Number.isInteger(millis) && millis >= 500 && millis <= 3500)
        assert.deepStrictEqual(headers, { "retry-after": String(Math.ceil(millis / 1000)) })
      }
      assert.isAbove(new Set(answers.map(({ body }) => body.retry_after_ms)).size, 1)
      yield* eventually("there is a place again", Effect.map(Effect.exit(knock(`key=${key}`)), Exit.isSuccess))
    }),
  )
})
