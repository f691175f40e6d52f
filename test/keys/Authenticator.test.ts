import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { Keys } from "#src/keys/Keys.ts"
import { PerMinute } from "#src/keys/model.ts"
import { keys as redisKeys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { generate } from "#src/secrets/keyFormat.ts"
import { eventually } from "#test/support/eventually.ts"
import { holding, someoneWaits, waiting } from "#test/support/hold.ts"
import { keysFoundation, named, stored, withoutPostgres } from "./support.ts"

const raw = (text: string) => Redacted.make(text)
const someKey = () => raw(generate())

/** Another process with a clock that the test controls, and its log. */
const elsewhere = Effect.gen(function* () {
  const real = yield* Clock.Clock
  let ahead = 0
  const clock: Clock.Clock = {
    ...real,
    sleep: (duration) => real.sleep(duration),
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead,
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
  }
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
  const context = yield* Layer.build(
    Layer.fresh(Authenticator.layer).pipe(Layer.provide(Layer.succeed(Clock.Clock, clock)), Layer.provideMerge(logger)),
  )
  return {
    authenticator: yield* Effect.provide(Authenticator, context),
    logged,
    pass: (millis: number) =>
      Effect.sync(() => {
        ahead += millis
      }),
  }
})

/** Waits until both processes are subscribed to changes; earlier announcements are lost. */
const heard = Effect.gen(function* () {
  const redis = yield* Redis
  const channel = redisKeys(redis.prefix).keysChanged
  yield* eventually(
    "both listen",
    Effect.map(
      redis.run((client) => client.pubsub("NUMSUB", channel)),
      ([, listeners]) => Number(listeners) >= 2,
    ),
  )
})

const growth = { plan: "growth", standardPerMinute: 2000, heavyPerMinute: 1500 } as const

layer(keysFoundation(), { excludeTestServices: true })("Authenticator", (it) => {
  it.effect("identifies the account of a key, and recognizes invalid keys", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { authenticate, cached } = yield* Authenticator
      const { key, record, account } = yield* keys.open("growth", named("ada"))
      assert.isUndefined(cached(key))
      const result = {
        _tag: "Known",
        caller: { account: account.id, key: record.id, lineage: record.id, ...growth },
      } as const
      assert.deepStrictEqual(yield* authenticate(key), result)
      assert.deepStrictEqual(cached(raw(Redacted.value(key))), result)
      const text = Redacted.value(key)
      for (const other of [
        generate(),
        "",
        "null",
        text.slice(0, -1),
        `${text} `,
        text.toLowerCase(),
        "x".repeat(1e7),
      ]) {
        assert.deepStrictEqual(yield* authenticate(raw(other)), { _tag: "Unknown" }, other.slice(0, 60))
      }
    }),
  )

  it.effect("concurrent requests share one read, and cached or malformed keys need none", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { authenticate } = yield* Authenticator
      const [known, asked] = [yield* keys.open("free", named("known")), yield* keys.open("free", named("asked"))]
      yield* authenticate(known.key)
      const [crowd, one] = yield* holding(
        "lock table api_key in access exclusive mode",
        Effect.gen(function* () {
          const crowd = yield* Effect.forkDetach(
            Effect.all(
              Array.from({ length: 50 }, () => authenticate(asked.key)),
              { concurrency: "unbounded" },
            ),
          )
          const leaves = yield* Effect.forkDetach(authenticate(asked.key))
          const one = yield* Effect.forkDetach(authenticate(asked.key))
          assert.strictEqual((yield* authenticate(known.key))._tag, "Known")
          assert.strictEqual((yield* authenticate(raw("psg_live_nonsense")))._tag, "Unknown")
          yield* eventually("the read waits", someoneWaits)
          yield* Fiber.interrupt(leaves)
          assert.strictEqual(yield* waiting, 1)
          return [crowd, one] as const
        }),
      )
      const tags = (yield* Fiber.join(crowd)).map(({ _tag }) => _tag)
      assert.deepStrictEqual(tags, Array(50).fill("Known"))
      assert.strictEqual((yield* Fiber.join(one))._tag, "Known")
    }),
  )

  it.effect("every change reaches another process at once", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { authenticator } = yield* elsewhere
      const issued = yield* keys.open("free", named("changes"))
      const { id } = issued.account
      yield* heard
      const sees = (what: string, key = issued.key) =>
        eventually(
          what,
          Effect.map(authenticator.authenticate(key), (result) =>
            result._tag === "Known"
              ? `${result.caller.plan} ${result.caller.standardPerMinute}` === what
              : result._tag === what,
          ),
          // Before the cached result expires.
          "4 seconds",
        )
      yield* sees("free 60")
      yield* keys.setPlan(id, "growth")
      yield* sees("growth 2000")
      yield* keys.setLimits(id, { standard: PerMinute.make(77) })
      yield* sees("growth 77")
      yield* keys.setActive(id, false)
      yield* sees("Inactive")
      yield* keys.setActive(id, true)
      yield* sees("growth 77")
      const next = yield* keys.rotate(issued.record.id)
      yield* sees("Inactive")
      yield* sees("growth 77", next.key)
      yield* keys.revoke(next.record.id)
      yield* sees("Inactive", next.key)
    }).pipe(Effect.scoped),
  )

  it.effect("an unannounced change is noticed when the cached result expires", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { authenticator, pass } = yield* elsewhere
      const { key, record } = yield* (yield* Keys).open("free", named("silent"))
      assert.strictEqual((yield* authenticator.authenticate(key))._tag, "Known")
      yield* sql`update api_key set revoked_at = now() where id = ${record.id}`
      assert.strictEqual((yield* authenticator.authenticate(key))._tag, "Known")
      yield* pass(5000)
      assert.isUndefined(authenticator.cached(key))
      assert.strictEqual((yield* authenticator.authenticate(key))._tag, "Inactive")
      yield* sql`update api_key set revoked_at = null where id = ${record.id}`
      assert.strictEqual((yield* authenticator.authenticate(key))._tag, "Inactive")
      yield* pass(5000)
      assert.strictEqual((yield* authenticator.authenticate(key))._tag, "Known")
    }).pipe(Effect.scoped),
  )

  it.effect("without Postgres, valid keys stay valid for five minutes, and others are unavailable", () =>
    Effect.gen(function* () {
      const { authenticator, pass, logged } = yield* elsewhere
      const { authenticate } = authenticator
      const keys = yield* Keys
      const { key } = yield* keys.open("free", named("patient"))
      const revoked = yield* keys.open("free", named("revoked"))
      yield* keys.revoke(revoked.record.id)
      yield* authenticate(key)
      yield* authenticate(revoked.key)
      yield* withoutPostgres(
        Effect.gen(function* () {
          assert.strictEqual((yield* authenticate(key))._tag, "Known")
          assert.deepStrictEqual(logged, [])
          yield* pass(6000)
          assert.strictEqual((yield* authenticate(key))._tag, "Known")
          assert.strictEqual(authenticator.cached(key)?._tag, "Known")
          for (const other of [someKey(), revoked.key]) {
            const away = yield* Effect.flip(authenticate(other))
            assert.match(away.message, /^keys cannot be checked now: Postgres: /)
            assert.notInclude(away.message, Redacted.value(other))
          }
          yield* pass(290_000)
          assert.strictEqual((yield* authenticate(key))._tag, "Known")
          yield* pass(5_000)
          assert.strictEqual((yield* Effect.flip(authenticate(key)))._tag, "KeysUnavailable")
          assert.strictEqual((yield* authenticate(raw("garbage")))._tag, "Unknown")
          assert.strictEqual(logged.length, 1)
          assert.match(logged[0] ?? "", /stay valid for at most 5 minutes/)
        }),
      )
      yield* eventually(
        "it can be asked again",
        Effect.map(
          Effect.option(authenticate(key)),
          (answer) => answer._tag === "Some" && answer.value._tag === "Known",
        ),
      )
      assert.deepStrictEqual(logged.slice(1), ["keys can be checked again"])
    }).pipe(Effect.scoped),
  )
})

layer(keysFoundation({ "keys.legacy-prefix": "old_live_" }), { excludeTestServices: true })("Legacy keys", (it) => {
  it.effect("keys of another service can be imported and have the limits of their account", () =>
    Effect.gen(function* () {
      const { authenticate, cached } = yield* Authenticator
      const keys = yield* Keys
      const legacy = raw("old_live_0123456789ABCDEFGHIJ")
      assert.strictEqual((yield* authenticate(legacy))._tag, "Unknown")
      // Only possible keys are read and cached.
      assert.strictEqual(cached(legacy)?._tag, "Unknown")
      assert.strictEqual((yield* authenticate(raw("old_live_short")))._tag, "Unknown")
      const account = yield* keys.createAccount("starter", named("moved"))
      const record = yield* keys.importKey(account.id, named("old"), legacy)
      yield* eventually(
        "it is known",
        Effect.map(authenticate(legacy), (result) => result._tag === "Known" && result.caller.key === record.id),
      )
      for (const wrong of [legacy, raw("old_live_short"), raw(generate()), raw("")]) {
        const refused = yield* Effect.flip(keys.importKey(account.id, named("again"), wrong))
        assert.strictEqual(refused._tag, "CannotImport")
        if (Redacted.value(wrong) !== "") assert.notInclude(refused.message, Redacted.value(wrong))
      }
    }),
  )

  it.effect("stored data reveal no key", () =>
    Effect.gen(function* () {
      for (const row of yield* stored) assert.notInclude(row, "0123456789ABCDEFGHIJ")
    }),
  )
})
