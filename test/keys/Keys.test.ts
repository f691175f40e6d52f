import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type IssuedKey, issuedBody, PerMinute } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { keysFoundation, named, stored } from "./support.ts"

const nowhere = "0b6f7f0e-4d0f-4b8e-9a53-1c2d3e4f5a6b"

/** Runs it `count` times concurrently; returns the successes and the tags of the failures. */
const atOnce = <A, E extends { readonly _tag: string }, R>(
  count: number,
  work: (i: number) => Effect.Effect<A, E, R>,
) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: count }, (_, i) => i),
      (i) => Effect.result(work(i)),
      {
        concurrency: "unbounded",
      },
    ),
    (results) => ({
      done: results.flatMap((each) => (Result.isSuccess(each) ? [each.success] : [])),
      failed: results.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : [])),
    }),
  )

const idsOf = (issued: ReadonlyArray<IssuedKey>) => issued.map(({ record }) => record.id)

layer(keysFoundation(), { excludeTestServices: true })("Keys", (it) => {
  it.effect("an account has at most the keys of its plan, also with concurrent requests", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { id } = yield* keys.createAccount("starter", named("ada"))
      const { done, failed } = yield* atOnce(6, (i) => keys.createKey(id, named(`key ${i}`)))
      assert.strictEqual(done.length, 3)
      assert.deepStrictEqual(failed, ["TooManyKeys", "TooManyKeys", "TooManyKeys"])
      const refusal = yield* Effect.flip(keys.createKey(id, named("one more")))
      assert.match(refusal.message, /the starter plan has 3 keys, and all are in use/)

      const [first] = idsOf(done)
      const revoked = yield* keys.revoke(first ?? KeyId.make(nowhere), id)
      assert.isNotNull(revoked.revokedAt)
      assert.deepStrictEqual(yield* keys.revoke(revoked.id), revoked)
      yield* keys.createKey(id, named("in its place"))

      const listed = yield* keys.listKeys(id, 100)
      assert.deepStrictEqual(
        listed.map(({ revokedAt }) => revokedAt !== null),
        [false, false, false, true],
      )
      assert.strictEqual(listed[0]?.name, "in its place")
    }),
  )

  it.effect("a key is rotated atomically to one of the same name, also at the limit", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const old = yield* keys.open("free", named("only one"))
      const { done, failed } = yield* atOnce(4, () => keys.rotate(old.record.id, old.account.id))
      assert.deepStrictEqual(failed, ["KeyRevoked", "KeyRevoked", "KeyRevoked"])
      const [made] = done
      assert.strictEqual(made?.record.name, "only one")
      assert.notStrictEqual(made && Redacted.value(made.key), Redacted.value(old.key))
      assert.deepStrictEqual(
        (yield* keys.listKeys(old.account.id, 10)).map(({ id, revokedAt }) => [id, revokedAt !== null]),
        [
          [made?.record.id, false],
          [old.record.id, true],
        ],
      )
    }),
  )

  it.effect("another account's key is reported as missing, like an unknown one", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const ada = yield* keys.open("growth", named("ada"))
      const bob = yield* keys.open("growth", named("bob"))
      const none = KeyId.make(nowhere)
      for (const attempt of [
        keys.revoke(ada.record.id, bob.account.id),
        keys.rotate(ada.record.id, bob.account.id),
        keys.revoke(none),
        keys.rotate(none),
      ]) {
        assert.strictEqual(
          (yield* Effect.flip(Effect.asVoid<unknown, { _tag: string }, never>(attempt)))._tag,
          "NoSuchKey",
        )
      }
      const [kept] = yield* keys.listKeys(ada.account.id, 10)
      assert.isNull(kept?.revokedAt)
      const nobody = AccountId.make(nowhere)
      for (const attempt of [
        keys.createKey(nobody, named("x")),
        keys.listKeys(nobody, 10),
        keys.setPlan(nobody, "free"),
        keys.setActive(nobody, false),
        keys.setLimits(nobody, { standard: null }),
      ]) {
        const error = yield* Effect.flip(Effect.asVoid<unknown, { _tag: string }, never>(attempt))
        assert.strictEqual(error._tag, "NoSuchAccount")
      }
    }),
  )

  it.effect("plan, limits and state of an account change independently", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { id } = yield* keys.createAccount("free", named("grows"))
      const custom = PerMinute.make(123_456)
      assert.deepInclude(yield* keys.setLimits(id, { standard: custom }), {
        plan: "free",
        standardPerMinute: 123_456,
        heavyPerMinute: null,
      })
      assert.deepInclude(yield* keys.setPlan(id, "enterprise"), { plan: "enterprise", standardPerMinute: 123_456 })
      assert.deepInclude(yield* keys.setLimits(id, { heavy: custom }), {
        standardPerMinute: 123_456,
        heavyPerMinute: 123_456,
      })
      assert.deepInclude(yield* keys.setLimits(id, { standard: null }), {
        standardPerMinute: null,
        heavyPerMinute: 123_456,
      })
      assert.deepInclude(yield* keys.setActive(id, false), { active: false, plan: "enterprise" })
      assert.isTrue((yield* keys.setActive(id, true)).active)
      yield* keys.createKey(id, named("one"))
      const [newest] = yield* keys.listAccounts(1)
      assert.deepInclude(newest, { id, name: "grows", keys: 1, heavyPerMinute: 123_456 })
    }),
  )

  it.effect("an address gets one free key per day, also with ten concurrent requests", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { sql } = yield* Postgres
      const address = "203.0.113.7"
      yield* sql`insert into free_key_grant (day, address) values (current_date - 1, '\\x00')`
      const before = (yield* keys.listAccounts(1000)).length
      const { done, failed } = yield* atOnce(10, () => keys.grantFree(named("mine"), address))
      assert.deepStrictEqual([done.length, new Set(failed)], [1, new Set(["NoFreeKey"])])
      assert.strictEqual((yield* keys.listAccounts(1000)).length, before + 1)
      assert.deepInclude(done[0]?.account, { plan: "free", active: true })

      const refusal = yield* Effect.flip(keys.grantFree(named("retryAt"), address))
      assert.match(refusal.message, /^One free key per address and day\. Retry after \d{10}\.$/)
      const [next] = yield* sql<{ at: Date }>`
        select date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' + interval '1 day' as at`
      assert.strictEqual(refusal._tag === "NoFreeKey" && refusal.retryAt.getTime(), next?.at.getTime())

      yield* keys.grantFree(named("another's"), "2001:db8:1:2::/64")
      const grants = yield* sql<{ day: Date; address: Uint8Array }>`select day, address from free_key_grant`
      assert.strictEqual(grants.length, 2)
      assert.isTrue(grants.every((grant) => grant.address.length === 32))
    }),
  )

  it.effect("the demo key is created once, and not again after it was revoked", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { demoKey } = yield* Secrets
      const demoAccounts = Effect.map(keys.listAccounts(1000), (all) => all.filter(({ name }) => name === "demo"))
      const { done } = yield* atOnce(5, () => keys.ensureDemo)
      assert.deepStrictEqual(done.map(Option.map(Redacted.value)), Array(5).fill(Option.some(Redacted.value(demoKey))))
      const [demo, ...more] = yield* demoAccounts
      assert.deepStrictEqual([demo?.plan, demo?.keys, more.length], ["growth", 1, 0])
      const id = demo?.id ?? AccountId.make(nowhere)

      yield* keys.setActive(id, false)
      assert.isTrue(Option.isNone(yield* keys.ensureDemo))
      yield* keys.setActive(id, true)
      assert.isTrue(Option.isSome(yield* keys.ensureDemo))

      const [key] = yield* keys.listKeys(id, 10)
      yield* keys.revoke(key?.id ?? KeyId.make(nowhere))
      assert.isTrue(Option.isNone(yield* keys.ensureDemo))
      assert.strictEqual((yield* demoAccounts).length, 1)
      assert.strictEqual((yield* keys.listKeys(id, 10)).length, 1)
    }),
  )

  it.effect("only the digest, start and end of a key are stored", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const issued = yield* keys.open("growth", named("hidden"))
      const body = issuedBody(issued)
      assert.deepInclude(body, { name: "hidden", rate_limit_per_minute: 2000 })
      assert.match(body.api_key, /^psg_live_[0-9A-Za-z]{36}$/)
      const rows = (yield* stored).join("\n")
      assert.include(rows, issued.record.shown)
      const middle = body.api_key.slice(12, -4)
      assert.notInclude(rows, middle)
      assert.notInclude(rows, Buffer.from(middle).toString("hex"))
      assert.notInclude(JSON.stringify(issued), middle)
    }),
  )
})

layer(keysFoundation({ "keys.free-per-day": "3" }), { excludeTestServices: true })("Free keys", (it) => {
  it.effect("are limited per day, also with concurrent requests", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { done, failed } = yield* atOnce(7, (i) => keys.grantFree(named("mine"), `198.51.100.${i}`))
      assert.deepStrictEqual([done.length, failed], [3, Array(4).fill("NoFreeKey")])
      const refusal = yield* Effect.flip(keys.grantFree(named("mine"), "198.51.100.99"))
      assert.match(refusal.message, /^No more free keys are available today\. Retry after \d{10}\.$/)
      assert.strictEqual((yield* keys.listAccounts(100)).length, 3)
      const { sql } = yield* Postgres
      assert.strictEqual((yield* sql`select 1 from free_key_grant`).length, 3)
    }),
  )
})
