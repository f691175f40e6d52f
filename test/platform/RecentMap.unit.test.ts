import { assert, describe, it } from "@effect/vitest"
import { RecentMap } from "#src/platform/RecentMap.ts"

const held = (map: RecentMap<number, string>, keys: ReadonlyArray<number>) =>
  keys.filter((key) => map.get(key) !== undefined)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("RecentMap", () => {
  it("returns the last value of a key", () => {
    const map = new RecentMap<number, string>(10)
    assert.isUndefined(map.get(1))
    map.set(1, "one")
    map.set(1, "first")
    assert.strictEqual(map.get(1), "first")
  })

  it("holds at least the most recent half and never more than its maximum", () => {
    for (const count of upTo(40)) {
      const map = new RecentMap<number, string>(10)
      for (const key of upTo(count)) map.set(key, String(key))
      // From the newest on, because reading an old entry may drop others.
      const there = held(map, upTo(count).toReversed())
      assert.isAtMost(there.length, 10)
      assert.deepStrictEqual(there.slice(0, 5), upTo(count).toReversed().slice(0, 5))
    }
  })

  it("keeps what is read again and again", () => {
    const map = new RecentMap<number, string>(10)
    map.set(-1, "read")
    for (const key of upTo(100)) {
      map.set(key, String(key))
      assert.strictEqual(map.get(-1), "read")
    }
  })

  it("returns the newer value of a key that was stored before", () => {
    const map = new RecentMap<number, string>(4)
    for (const key of upTo(3)) map.set(key, "old")
    map.set(0, "new")
    assert.strictEqual(map.get(0), "new")
    map.set(7, "other")
    assert.strictEqual(map.get(0), "new")
  })

  it("holds one entry at least", () => {
    const map = new RecentMap<number, string>(1)
    map.set(1, "one")
    assert.strictEqual(map.get(1), "one")
  })
})
