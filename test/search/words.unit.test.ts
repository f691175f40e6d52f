import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { vectorOf } from "#src/search/document.ts"
import { literalStages, partialStages, questionOf, similarStages } from "#src/search/question.ts"
import { editsBetween, toleratedTypos, typosBetween } from "#src/search/typos.ts"
import { wordsOf } from "#src/search/words.ts"

describe("Words of a text", () => {
  it.each([
    ["Will Bitcoin hit $100,000?", "will bitcoin hit 100000"],
    ["Trump's approval — U.S. poll", "trump approval us poll"],
    ["Über São Paulo, Łódź & Ångström", "uber sao paulo lodz angstrom"],
    ["O’Neal vs. D'Angelo", "oneal vs dangelo"],
    ["O/U 45.5", "o u 45.5"],
    ["btc-updown-5m-1760000300", "btc updown 5m 1760000300"],
    ["Straße ﬁnance Ⅷ", "strasse finance viii"],
    ["東京 2026", "東 京 2026"],
    ["24°C or below", "24 c or below"],
    ["!!! … ¿?", ""],
    ["a\u0000b", "a b"],
    ["1,000,000.50 and 1,2,3", "1000000.50 and 1 2 3"],
  ])("%s", (text, words) => {
    assert.strictEqual(wordsOf(text).join(" "), words)
  })

  it("need no quoting, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        for (const word of wordsOf(text)) assert.match(word, /^[\p{L}\p{N}.]{1,40}$/u)
        assert.deepStrictEqual(wordsOf(wordsOf(text).join(" ")), wordsOf(text))
      }),
      { numRuns: 2000 },
    )
  })

  it("of a document are in no other text's phrase", () => {
    assert.strictEqual(
      vectorOf({ A: ["Up up"], D: ["Down"] }).replace(/'=[\w-]+'/, "'='"),
      "'=':1A 'up':1A,2A 'down':11D",
    )
  })
})

describe("Typos", () => {
  it("are insertions, deletions, replacements and exchanges", () => {
    for (const other of ["bitcoin", "bitcon", "bitcoiin", "bitcoim", "bticoin"])
      assert.isAtMost(editsBetween("bitcoin", other, 2), 1, other)
    assert.strictEqual(editsBetween("bitcoin", "btcion", 2), 2)
    assert.strictEqual(editsBetween("bitcoin", "litecoin", 2), 2)
  })

  it("are as many in both directions, and never fewer than the difference in length", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        const edits = editsBetween(a, b, 10)
        assert.strictEqual(edits, editsBetween(b, a, 10))
        assert.strictEqual(edits === 0, a === b)
        assert.isAtLeast(edits, Math.abs(a.length - b.length))
        assert.isAtMost(edits, Math.max(a.length, b.length))
        for (const most of [0, 1, 2]) assert.strictEqual(editsBetween(a, b, most) <= most, edits <= most)
      }),
    )
  })

  it("are not tolerated in short words and numbers", () => {
    assert.deepStrictEqual(["btc", "2028", "100k", "pope", "election"].map(toleratedTypos), [0, 0, 0, 1, 2])
  })

  it("count in a word that is still typed", () => {
    assert.strictEqual(typosBetween("presd", "president", true), 1)
    assert.isUndefined(typosBetween("presd", "president", false))
  })
})

describe("A question", () => {
  it("asks for the beginning of the last word until it is complete", () => {
    assert.isTrue(questionOf("who wi").isTyping)
    assert.isFalse(questionOf("who wi ").isTyping)
    assert.isFalse(questionOf("who wi?").isTyping)
  })

  it("becomes queries that Postgres can read, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const question = questionOf(text)
        if (question.words.length === 0) return
        const some = question.words.map(() => [{ word: "other", typos: 1 as const, documents: 1 }])
        for (const { query } of [
          ...literalStages(question),
          ...similarStages(question, some),
          ...partialStages(question, some),
        ])
          assert.match(query, /^(?:'=?[\p{L}\p{N}._-]+'(?::\*?A?)?|[()]| & | \| | <-> )+$/u)
      }),
      { numRuns: 500 },
    )
  })
})
