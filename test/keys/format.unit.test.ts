import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { generate, isLegacy, isWellFormed, prefix, shown } from "#src/secrets/keyFormat.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const key = fc.uint8Array({ minLength: 256, maxLength: 256, max: 247 }).map((bytes) => generate(() => bytes))

/** Computed by hand: a change of the checksum would invalidate all existing keys. */
const sample = "psg_live_0123456789ABCDEFGHIJKLMNOPQRST41unKE"
const legacySample = "old_live_0123456789ABCDEFGHIJKLMNOPQRST2X42da"

describe("Key format", () => {
  it("a key is psg_live_, 30 random characters and 6 of checksum, and is well-formed", () => {
    fc.assert(
      fc.property(key, (made) => {
        assert.match(made, /^psg_live_[0-9A-Za-z]{36}$/)
        assert.isTrue(isWellFormed(made))
      }),
    )
    for (let i = 0; i < 200; i++) assert.isTrue(isWellFormed(generate()))
    assert.strictEqual(
      generate(() => Uint8Array.from({ length: 256 }, (_, i) => i)),
      sample,
    )
  })

  it("a key with any single character changed is malformed", () => {
    const change = fc.tuple(
      key,
      fc.nat(44),
      fc.oneof(fc.constantFrom(...alphabet), fc.string({ unit: "binary", maxLength: 2 })),
    )
    fc.assert(
      fc.property(change, ([made, at, other]) => {
        fc.pre(other !== made[at])
        assert.isFalse(isWellFormed(made.slice(0, at) + other + made.slice(at + 1)))
      }),
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 2000 : 300 },
    )
  })

  it("a key that is shortened, extended or embedded in text is malformed", () => {
    for (const wrong of ["", prefix, sample.slice(1), sample.slice(0, -1), `${sample}0`, ` ${sample}`, `${sample}\n`]) {
      assert.isFalse(isWellFormed(wrong), JSON.stringify(wrong))
    }
  })

  it("a legacy key needs the configured prefix and no checksum", () => {
    assert.isFalse(isWellFormed(legacySample))
    assert.isTrue(isLegacy(legacySample, "old_live_"))
    assert.isFalse(isLegacy(legacySample, ""))
    assert.isFalse(isLegacy(sample, "old_live_"))
    assert.isFalse(isLegacy("old_live_tooshort", "old_live_"))
    assert.isFalse(isLegacy(`old_live_${"x".repeat(65)}`, "old_live_"))
    assert.isFalse(isLegacy(`${legacySample}\n`, "old_live_"))
  })

  it("all characters are equally likely", () => {
    const counts = new Map([...alphabet].map((letter) => [letter, 0]))
    for (let byte = 0; byte < 256; byte++) {
      const letters = generate(() => new Uint8Array(256).fill(byte))
      const first = letters.length === 45 ? letters[prefix.length] : undefined
      if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1)
    }
    assert.deepStrictEqual(new Set(counts.values()), new Set([4]))
  })

  it("a key is displayed by its first 12 and last 4 characters", () =>
    assert.strictEqual(shown(sample), "psg_live_012…unKE"))
})
