import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Choice, chooseEncoding } from "#http/caching/chooseEncoding.ts"
import { isNotModified } from "#http/caching/representation.ts"

const cases: ReadonlyArray<readonly [header: string | undefined, large: Choice, small: Choice]> = [
  [undefined, "identity", "identity"],
  ["", "identity", "identity"],
  ["identity", "identity", "identity"],
  ["gzip", "gzip", "identity"],
  ["GZIP", "gzip", "identity"],
  ["x-gzip", "gzip", "identity"],
  ["gzip, deflate, br, zstd", "br", "identity"],
  ["gzip, deflate", "gzip", "identity"],
  ["deflate, compress", "identity", "identity"],
  ["zstd, gzip", "zstd", "identity"],
  ["br;q=0.5, gzip;q=0.8", "gzip", "identity"],
  ["br;q=0, gzip;q=0.1", "gzip", "identity"],
  ["br; q=0.9 , gzip ; q=0.8", "br", "identity"],
  ["br;level=4;q=0.2, gzip;q=0.1", "br", "identity"],
  ["identity;q=1, gzip;q=0.5", "identity", "identity"],
  ["identity;q=0.5, gzip;q=0.5", "gzip", "identity"],
  ["*", "gzip", "identity"],
  ["*;q=0.1", "gzip", "identity"],
  ["gzip;q=0, *", "identity", "identity"],
  ["gzip;q=0", "identity", "identity"],
  ["identity;q=0", "none", "none"],
  ["identity;q=0, gzip", "gzip", "gzip"],
  ["identity;q=0, *", "gzip", "gzip"],
  ["*;q=0", "none", "none"],
  ["gzip, *;q=0", "gzip", "gzip"],
  ["identity, *;q=0", "identity", "identity"],
  ["gzip;q=banana, br;q=1.5", "identity", "identity"],
  ["gzip;q=", "identity", "identity"],
  ["gzip;q=0.5;q=1", "gzip", "identity"],
  ["gzip;q=0, gzip", "identity", "identity"],
  [",,;;q=1,;,", "identity", "identity"],
  ["gzip;Q=1.000", "gzip", "identity"],
  ["gzip;q=0.0001", "identity", "identity"],
]

describe("chooseEncoding", () => {
  it("picks the highest weight, and leaves small answers uncompressed", () => {
    for (const [header, large, small] of cases) {
      assert.deepStrictEqual([header, chooseEncoding(header), chooseEncoding(header, true)], [header, large, small])
    }
  })

  const part = fc.tuple(
    fc.constantFrom("br", "gzip", "zstd", "identity", "*", "deflate", "", " "),
    fc.constantFrom("", ";q=0", ";q=0.5", ";q=1", ";q=x", ";;", "; q=0.3"),
  )
  const headers = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.map(([name, q]) => name + q).join(",")),
  )

  it("never picks an encoding that the client refuses", () =>
    fc.assert(
      fc.property(headers, fc.boolean(), (header, isSmall) => {
        const choice = chooseEncoding(header, isSmall)
        if (choice === "none") return
        const named = header.split(",").map((each) => each.trim().toLowerCase())
        const first = named.find((each) => each.split(";", 1)[0]?.trim() === choice)
        if (first !== undefined) assert.notMatch(first, /q=0$/)
        else if (choice !== "identity") assert.match(header, /\*|x-gzip/i)
      }),
    ))

  it("is fast for the longest possible header", () => {
    for (const unit of [",", ";", "a,", "gzip;q=0.5,", ";q=", "q=0;"]) {
      assert.include(["identity", "gzip"], chooseEncoding(unit.repeat(16_384 / unit.length)))
    }
  })
})

describe("If-None-Match", () => {
  it("matches a tag in a list, weak or strong, and the wildcard", () => {
    const tag = '"abc-gzip"'
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, `"x",W/${tag} ,"y"`, "*", " * "])
      assert.isTrue(isNotModified(header, tag))
    for (const header of [undefined, "", '"abc"', "abc-gzip", `${tag}x`, "W/", ",", '"*"']) {
      assert.isFalse(isNotModified(header, tag))
    }
  })
})
