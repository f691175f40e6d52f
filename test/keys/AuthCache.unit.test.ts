import { assert, describe, it } from "@effect/vitest"
import { AccountId, type Caller, KeyId } from "#src/domain/Account.ts"
import { type AuthResult, makeAuthCache } from "#src/keys/AuthCache.ts"

const [ada, bob] = ["0b6f7f0e-4d0f-4b8e-9a53-000000000001", "0b6f7f0e-4d0f-4b8e-9a53-000000000002"] as const
const callerOf = (account: string): Caller => ({
  account: AccountId.make(account),
  key: KeyId.make(account),
  lineage: KeyId.make(account),
  plan: "growth",
  standardPerMinute: 2000,
  heavyPerMinute: 1500,
})
const good = (account: string): AuthResult => ({ _tag: "Known", caller: callerOf(account) })
const unknown: AuthResult = { _tag: "Unknown" }

describe("AuthCache", () => {
  it("entries expire on time, and not later when the clock is set back", () => {
    const cache = makeAuthCache()
    cache.set("a", good(ada), 1_000_000, 5000)
    assert.deepStrictEqual(cache.get("a", 1_004_999), good(ada))
    assert.isUndefined(cache.get("a", 1_005_000))
    assert.isUndefined(cache.get("a", 999_999))
    assert.isUndefined(cache.get("b", 1_000_000))
  })

  it("valid keys survive a flood of unknown ones, and the size is bounded", () => {
    const cache = makeAuthCache()
    cache.set("a", good(ada), 0, 5000)
    for (let i = 0; i < 20_000; i++) cache.set(`x${i}`, unknown, 0, 5000)
    assert.deepStrictEqual(cache.get("a", 1), good(ada))
    assert.isUndefined(cache.get("x9999", 1))
    assert.deepStrictEqual(cache.get("x10000", 1), unknown)
    for (let i = 0; i < 10_000; i++) cache.set(`g${i}`, good(bob), 0, 5000)
    assert.isUndefined(cache.get("a", 1))
    assert.deepStrictEqual(cache.get("g0", 1), good(bob))
  })

  it("only valid keys are extended, up to five minutes after their confirmation", () => {
    const cache = makeAuthCache()
    cache.set("a", good(ada), 0, 5000)
    cache.set("x", unknown, 0, 5000)
    assert.isUndefined(cache.extend("x", 6000, 1000))
    assert.deepStrictEqual(cache.extend("a", 6000, 1000), good(ada))
    assert.deepStrictEqual(cache.get("a", 6999), good(ada))
    assert.isUndefined(cache.get("a", 7000))
    assert.deepStrictEqual(cache.extend("a", 299_500, 1000), good(ada))
    assert.isUndefined(cache.get("a", 300_000))
    assert.isUndefined(cache.extend("a", 300_000, 1000))
  })

  it("invalidating an account drops its keys and all results that are not valid", () => {
    const cache = makeAuthCache()
    cache.set("a1", good(ada), 0, 5000)
    cache.set("a2", good(ada), 0, 5000)
    cache.set("b", good(bob), 0, 5000)
    cache.set("x", unknown, 0, 5000)
    cache.invalidate(AccountId.make(ada))
    assert.deepStrictEqual(
      ["a1", "a2", "b", "x"].map((text) => cache.get(text, 1)),
      [undefined, undefined, good(bob), undefined],
    )
    assert.isUndefined(cache.extend("a1", 1, 1000))
  })

  it("a new result replaces the old one, also when a valid key becomes inactive", () => {
    const cache = makeAuthCache()
    cache.set("a", good(ada), 0, 5000)
    cache.set("a", { _tag: "Inactive" }, 5000, 5000)
    assert.deepStrictEqual(cache.get("a", 5001), { _tag: "Inactive" })
    assert.isUndefined(cache.extend("a", 10_001, 1000))
  })
})
