import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { canonicalUrl } from "#src/online-search/canonicalUrl.ts"
import { cleanText } from "#src/online-search/cleanText.ts"
import { mergeResults } from "#src/online-search/merge.ts"
import { pageOf, restOf } from "#src/upstream/searxng/wire.ts"

const keyOf = (url: string) => canonicalUrl(url)?.key

describe("Addresses of the web", () => {
  it("are the same page whatever the scheme, www, tracking, order of parameters and marks", () => {
    const same = [
      "https://example.org/a?x=1&y=2",
      "http://www.example.org/a/?y=2&x=1&utm_source=z",
      "HTTPS://EXAMPLE.org:443/a?x=1&y=2&fbclid=q#top",
      "https://user:pass@example.org/a?x=1&y=2#:~:text=b",
    ]
    assert.lengthOf([...new Set(same.map(keyOf))], 1)
    assert.notStrictEqual(keyOf("https://example.org/a?x=2"), keyOf("https://example.org/a?x=1"))
    assert.notStrictEqual(keyOf("https://example.org/#/one"), keyOf("https://example.org/#/two"))
    assert.strictEqual(canonicalUrl(same[1] ?? "")?.url, "http://www.example.org/a/?y=2&x=1")
    for (const other of ["javascript:alert(1)", "data:text/html,x", "ftp://a/b", "/relative", "", "https://"]) {
      assert.isUndefined(canonicalUrl(other), other)
    }
  })

  it("never have credentials, and their form is stable", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const once = canonicalUrl(url)
        assert.strictEqual(canonicalUrl(once?.url ?? "")?.key, once?.key)
        assert.match(once?.url ?? "", /^https?:\/\/[^@/]+/)
      }),
    )
  })
})

describe("Texts of the web", () => {
  it("lose markup, also when it is escaped, and control characters", () => {
    assert.strictEqual(cleanText("<b>Two</b> out &amp; <i>one</i>&nbsp;in\u0000\u202e", 100), "Two out & one in")
    assert.strictEqual(cleanText("&amp;lt;script&amp;gt;x&lt;/script&gt; a < b &#x1F680; &#0;", 100), "x a < b 🚀")
    assert.strictEqual(cleanText("a<script>alert(1)</script>b <img src=x onerror=", 100), "a b")
    assert.strictEqual(cleanText("x".repeat(20), 10), `${"x".repeat(9)}…`)
    const markup = fc.constantFrom("<", ">", "&lt;", "&amp;", "&#60;", "script", "/", "a", " ", "&gt;", "\u0001", "!--")
    fc.assert(
      fc.property(fc.array(markup, { maxLength: 40 }), (parts) => {
        const text = cleanText(parts.join(""), 200)
        assert.notMatch(text, /<[a-z/!][^<>]*>|\p{Cc}/iu)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("Results of several engines", () => {
  it("are merged by page, with all engines, the sum of scores, and what only one of them knows", () => {
    const page = { title: "A", text: "", engines: ["brave"], score: 1, category: "general", publishedAt: undefined }
    const merged = mergeResults([
      { ...page, url: "http://example.org/a" },
      { ...page, url: "https://other.org", score: 2.5 },
      { ...page, url: "https://www.example.org/a/", engines: ["google"], score: 2, text: "found", publishedAt: 0 },
      { ...page, url: "ftp://example.org/a", score: 9 },
    ])
    assert.deepStrictEqual(
      merged.map(({ url, engines, score, snippet, publishedAt }) => [url, engines, score, snippet, publishedAt]),
      [
        ["https://www.example.org/a/", ["brave", "google"], 3, "found", "1970-01-01T00:00:00.000Z"],
        ["https://other.org/", ["brave"], 2.5, "", null],
      ],
    )
  })

  it("are read in the forms of older and newer versions of SearXNG", () => {
    const publishedAt = (publishedDate: string | null) => pageOf({ url: "https://a", publishedDate }).publishedAt
    assert.strictEqual(publishedAt("2026-11-10T12:00:00"), Date.UTC(2026, 10, 10, 12))
    assert.strictEqual(publishedAt("2026-11-10 12:00:00+02:00"), Date.UTC(2026, 10, 10, 10))
    assert.strictEqual(publishedAt("2026-11-10"), Date.UTC(2026, 10, 10))
    assert.isUndefined(publishedAt("yesterday"))
    assert.isUndefined(publishedAt(null))
    const rest = restOf({
      results: [],
      answers: ["4", { answer: "5", url: "x" }, { translations: [] }, 6],
      suggestions: ["a", 1],
      unresponsive_engines: [["google", "CAPTCHA"], ["bing", "timeout", true], "odd"],
    })
    assert.deepStrictEqual(rest.answers, ["4", "5"])
    assert.deepStrictEqual(rest.suggestions, ["a"])
    assert.deepStrictEqual(rest.failures, [
      { engine: "google", reason: "CAPTCHA" },
      { engine: "bing", reason: "timeout" },
    ])
  })
})
