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

/** Another process, whose clock the test moves, and what it logged. */
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

/** Until both processes listen for changes: what is announced before that is noticed later. */
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
  it.effect("knows whose key it is, and what is none", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { identify, cached } = yield* Authenticator
      const { key, record, account } = yield* keys.open("growth", named("ada"))
      assert.isUndefined(cached(key))
      const verdict = {
        _tag: "Known",
        caller: { account: account.id, key: record.id, lineage: record.id, ...growth },
      } as const
      assert.deepStrictEqual(yield* identify(key), verdict)
      assert.deepStrictEqual(cached(raw(Redacted.value(key))), verdict)
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
        assert.deepStrictEqual(yield* identify(raw(other)), { _tag: "Unknown" }, other.slice(0, 60))
      }
    }),
  )

  it.effect("asks once for many who ask at once, and nobody for what it knows or what cannot be a key", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { identify } = yield* Authenticator
      const [known, asked] = [yield* keys.open("free", named("known")), yield* keys.open("free", named("asked"))]
      yield* identify(known.key)
      const [crowd, one] = yield* holding(
        "lock table api_key in access exclusive mode",
        Effect.gen(function* () {
          const crowd = yield* Effect.forkDetach(
            Effect.all(
              Array.from({ length: 50 }, () => identify(asked.key)),
              { concurrency: "unbounded" },
            ),
          )
          const leaves = yield* Effect.forkDetach(identify(asked.key))
          const one = yield* Effect.forkDetach(identify(asked.key))
          assert.strictEqual((yield* identify(known.key))._tag, "Known")
          assert.strictEqual((yield* identify(raw("psg_live_nonsense")))._tag, "Unknown")
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

  it.effect("every change is heard at once in another process", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { authenticator } = yield* elsewhere
      const issued = yield* keys.open("free", named("changes"))
      const { id } = issued.account
      yield* heard
      const sees = (what: string, key = issued.key) =>
        eventually(
          what,
          Effect.map(authenticator.identify(key), (verdict) =>
            verdict._tag === "Known"
              ? `${verdict.caller.plan} ${verdict.caller.standardPerMinute}` === what
              : verdict._tag === what,
          ),
          // Sooner than it would ask again by itself.
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

  it.effect("what nobody announced is noticed when the time of an answer is over", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { authenticator, pass } = yield* elsewhere
      const { key, record } = yield* (yield* Keys).open("free", named("silent"))
      assert.strictEqual((yield* authenticator.identify(key))._tag, "Known")
      yield* sql`update api_key set revoked_at = now() where id = ${record.id}`
      assert.strictEqual((yield* authenticator.identify(key))._tag, "Known")
      yield* pass(5000)
      assert.isUndefined(authenticator.cached(key))
      assert.strictEqual((yield* authenticator.identify(key))._tag, "Inactive")
      yield* sql`update api_key set revoked_at = null where id = ${record.id}`
      assert.strictEqual((yield* authenticator.identify(key))._tag, "Inactive")
      yield* pass(5000)
      assert.strictEqual((yield* authenticator.identify(key))._tag, "Known")
    }).pipe(Effect.scoped),
  )

  it.effect("without Postgres good keys stay good for five minutes, and nothing is said of others", () =>
    Effect.gen(function* () {
      const { authenticator, pass, logged } = yield* elsewhere
      const { identify } = authenticator
      const keys = yield* Keys
      const { key } = yield* keys.open("free", named("patient"))
      const revoked = yield* keys.open("free", named("revoked"))
      yield* keys.revoke(revoked.record.id)
      yield* identify(key)
      yield* identify(revoked.key)
      yield* withoutPostgres(
        Effect.gen(function* () {
          assert.strictEqual((yield* identify(key))._tag, "Known")
          assert.deepStrictEqual(logged, [])
          yield* pass(6000)
          assert.strictEqual((yield* identify(key))._tag, "Known")
          assert.strictEqual(authenticator.cached(key)?._tag, "Known")
          for (const other of [someKey(), revoked.key]) {
            const away = yield* Effect.flip(identify(other))
            assert.match(away.message, /^keys cannot be checked now: Postgres: /)
            assert.notInclude(away.message, Redacted.value(other))
          }
          yield* pass(290_000)
          assert.strictEqual((yield* identify(key))._tag, "Known")
          yield* pass(5_000)
          assert.strictEqual((yield* Effect.flip(identify(key)))._tag, "KeysAway")
          assert.strictEqual((yield* identify(raw("garbage")))._tag, "Unknown")
          assert.strictEqual(logged.length, 1)
          assert.match(logged[0] ?? "", /go on being so for at most 5 minutes/)
        }),
      )
      yield* eventually(
        "it can be asked again",
        Effect.map(Effect.option(identify(key)), (answer) => answer._tag === "Some" && answer.value._tag === "Known"),
      )
      assert.deepStrictEqual(logged.slice(1), ["keys can be checked again"])
    }).pipe(Effect.scoped),
  )
})

layer(keysFoundation({ "keys.legacy-prefix": "old_live_" }), { excludeTestServices: true })("A legacy prefix", (it) => {
  it.effect("lets keys of another service be taken over, with their limits and all", () =>
    Effect.gen(function* () {
      const { identify, cached } = yield* Authenticator
      const keys = yield* Keys
      const legacy = raw("old_live_0123456789ABCDEFGHIJ")
      assert.strictEqual((yield* identify(legacy))._tag, "Unknown")
      // Only what could be a key is looked up and remembered.
      assert.strictEqual(cached(legacy)?._tag, "Unknown")
      assert.strictEqual((yield* identify(raw("old_live_short")))._tag, "Unknown")
      const account = yield* keys.createAccount("starter", named("moved"))
      const record = yield* keys.importKey(account.id, named("old"), legacy)
      yield* eventually(
        "it is known",
        Effect.map(identify(legacy), (verdict) => verdict._tag === "Known" && verdict.caller.key === record.id),
      )
      for (const wrong of [legacy, raw("old_live_short"), raw(generate()), raw("")]) {
        const refused = yield* Effect.flip(keys.importKey(account.id, named("again"), wrong))
        assert.strictEqual(refused._tag, "CannotImport")
        if (Redacted.value(wrong) !== "") assert.notInclude(refused.message, Redacted.value(wrong))
      }
    }),
  )

  it.effect("gives up no key in what is stored", () =>
    Effect.gen(function* () {
      for (const row of yield* stored) assert.notInclude(row, "0123456789ABCDEFGHIJ")
    }),
  )
})
