import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { nativeTime } from "#src/social/present.ts"
import { QueryError } from "#src/social/query/model.ts"
import { translateQuery } from "#src/social/query/translate.ts"

const queryOf = (text: string) => {
  const translated = translateQuery(text)
  return translated instanceof QueryError ? translated.problem : translated.query
}

describe("Queries of posts", () => {
  it("are translated to the operators of X API v2", () => {
    const translations: Readonly<Record<string, string>> = {
      "nba injuries": "nba injuries",
      'from:@NBA "out tonight" #Lakers -filter:retweets': 'from:NBA "out tonight" #Lakers -is:retweet',
      "(bitcoin OR eth) filter:links lang:EN": "(bitcoin OR eth) has:links lang:en",
      "“smart quotes” here": '"smart quotes" here',
      "a.b c&d 🚀 ?!": '"a.b" "c&d" "🚀"',
      "bitcoin since:2026-11-10 min_faves:10": "bitcoin",
      "https://polymarket.com/event/x?y=1": 'url:"https://polymarket.com/event/x?y=1"',
      "score 12:30 Re: it": 'score "12:30" "Re:" it',
      "--double -(a OR b)": "double -(a OR b)",
    }
    for (const [given, expected] of Object.entries(translations)) assert.strictEqual(queryOf(given), expected)
  })

  it("have times and counts that apply to the whole", () => {
    const query = translateQuery("a since:2026-11-10 until:2026-11-12_06:00:00_UTC b OR c min_faves:5 -min_retweets:2")
    assert.deepStrictEqual(query, {
      query: "a b OR c",
      since: Date.UTC(2026, 10, 10),
      until: Date.UTC(2026, 10, 12, 6),
      bounds: [
        { count: "likes", value: 5, isBelow: false },
        { count: "retweets", value: 2, isBelow: true },
      ],
    })
    const strictest = translateQuery("a since:2026-11-10 since_time:1794700800")
    assert.deepInclude(strictest, { since: 1_794_700_800_000 })
  })

  it("that cannot be asked say why", () => {
    const problems: Readonly<Record<string, RegExp>> = {
      "": /at least one word/,
      "min_faves:3": /at least one word/,
      "?! -": /at least one word/,
      "a OR": /both sides/,
      '"open': /not closed/,
      "(a": /not closed/,
      "a)": /not opened/,
      "a since:yesterday": /YYYY-MM-DD/,
      "a since:2026-02-30": /YYYY-MM-DD/,
      "a -since:2026-01-01": /not possible/,
      "a since:2026-01-02 until:2026-01-02": /before until/,
      "(a min_faves:3)": /within parentheses/,
      "a min_faves:many": /whole number/,
      "from:not-a-handle": /handle/,
      "a filter:money": /links, media/,
      "a near:here": /unknown operator "near:"/,
      "a has:x": /links, media/,
    }
    for (const [given, expected] of Object.entries(problems)) assert.match(queryOf(given), expected, given)
  })

  it("never break, and what they give is balanced", () => {
    const piece = fc.oneof(
      fc.constantFrom("a", "OR", "-", "(", ")", '"', "from:x", "since:2026-01-01", "min_faves:1", "#t", "\\"),
      fc.string({ unit: "binary", maxLength: 10 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.constantFrom("", " "), (pieces, space) => {
        const translated = translateQuery(pieces.join(space))
        if (translated instanceof QueryError) return
        const bare = translated.query.replace(/"[^"]*"/g, "")
        assert.notInclude(bare, '"')
        assert.strictEqual(bare.split("(").length, bare.split(")").length)
        assert.notMatch(bare, /since:|min_faves:/)
      }),
    )
  })

  it("have times in the network's own form", () => {
    assert.strictEqual(nativeTime(Date.UTC(2018, 9, 10, 20, 19, 24)), "Wed Oct 10 20:19:24 +0000 2018")
    assert.strictEqual(nativeTime(Date.UTC(2026, 0, 1)), "Thu Jan 01 00:00:00 +0000 2026")
  })
})
