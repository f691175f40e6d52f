import { assert, describe, it } from "@effect/vitest"
import { AccountId, type Caller, KeyId } from "#src/domain/Account.ts"
import { makeVerdicts, type Verdict } from "#src/keys/verdicts.ts"

const [ada, bob] = ["0b6f7f0e-4d0f-4b8e-9a53-000000000001", "0b6f7f0e-4d0f-4b8e-9a53-000000000002"] as const
const callerOf = (account: string): Caller => ({
  account: AccountId.make(account),
  key: KeyId.make(account),
  lineage: KeyId.make(account),
  plan: "growth",
  standardPerMinute: 2000,
  heavyPerMinute: 1500,
})
const good = (account: string): Verdict => ({ _tag: "Known", caller: callerOf(account) })
const unknown: Verdict = { _tag: "Unknown" }

describe("What a process knows of keys", () => {
  it("lasts as long as it was kept for, and no longer when the clock is set back", () => {
    const verdicts = makeVerdicts()
    verdicts.keep("a", good(ada), 1_000_000, 5000)
    assert.deepStrictEqual(verdicts.find("a", 1_004_999), good(ada))
    assert.isUndefined(verdicts.find("a", 1_005_000))
    assert.isUndefined(verdicts.find("a", 999_999))
    assert.isUndefined(verdicts.find("b", 1_000_000))
  })

  it("keeps good keys through a flood of others, and is bounded", () => {
    const verdicts = makeVerdicts()
    verdicts.keep("a", good(ada), 0, 5000)
    for (let i = 0; i < 20_000; i++) verdicts.keep(`x${i}`, unknown, 0, 5000)
    assert.deepStrictEqual(verdicts.find("a", 1), good(ada))
    assert.isUndefined(verdicts.find("x9999", 1))
    assert.deepStrictEqual(verdicts.find("x10000", 1), unknown)
    for (let i = 0; i < 10_000; i++) verdicts.keep(`g${i}`, good(bob), 0, 5000)
    assert.isUndefined(verdicts.find("a", 1))
    assert.deepStrictEqual(verdicts.find("g0", 1), good(bob))
  })

  it("prolongs a good key, and no other, to five minutes after it was confirmed", () => {
    const verdicts = makeVerdicts()
    verdicts.keep("a", good(ada), 0, 5000)
    verdicts.keep("x", unknown, 0, 5000)
    assert.isUndefined(verdicts.prolong("x", 6000, 1000))
    assert.deepStrictEqual(verdicts.prolong("a", 6000, 1000), good(ada))
    assert.deepStrictEqual(verdicts.find("a", 6999), good(ada))
    assert.isUndefined(verdicts.find("a", 7000))
    assert.deepStrictEqual(verdicts.prolong("a", 299_500, 1000), good(ada))
    assert.isUndefined(verdicts.find("a", 300_000))
    assert.isUndefined(verdicts.prolong("a", 300_000, 1000))
  })

  it("forgets an account with all its keys, and whatever was not good", () => {
    const verdicts = makeVerdicts()
    verdicts.keep("a1", good(ada), 0, 5000)
    verdicts.keep("a2", good(ada), 0, 5000)
    verdicts.keep("b", good(bob), 0, 5000)
    verdicts.keep("x", unknown, 0, 5000)
    verdicts.forget(AccountId.make(ada))
    assert.deepStrictEqual(
      ["a1", "a2", "b", "x"].map((text) => verdicts.find(text, 1)),
      [undefined, undefined, good(bob), undefined],
    )
    assert.isUndefined(verdicts.prolong("a1", 1, 1000))
  })

  it("replaces what it knew, also when a good key is no longer good", () => {
    const verdicts = makeVerdicts()
    verdicts.keep("a", good(ada), 0, 5000)
    verdicts.keep("a", { _tag: "Inactive" }, 5000, 5000)
    assert.deepStrictEqual(verdicts.find("a", 5001), { _tag: "Inactive" })
    assert.isUndefined(verdicts.prolong("a", 10_001, 1000))
  })
})
