import { assert, describe, it } from "@effect/vitest"
import { isPlain, readRequestTarget } from "#src/platform/http/requestTarget.ts"
import { closestName } from "#src/platform/text/spelling.ts"

describe("readRequestTarget", () => {
  it("returns a URL without a key unchanged", () => {
    for (const url of ["/v1/x", "/v1/x?a=1&a=2", "/v1/monkey?q=a%20b"]) {
      assert.deepStrictEqual(readRequestTarget(url), { url, keys: [] })
    }
  })

  it.each([
    ["/v1/x?key=s3cret", "/v1/x"],
    ["/v1/x?a=1&key=s3cret&b=2", "/v1/x?a=1&b=2"],
    ["/v1/x?%6bey=s3cret", "/v1/x"],
    ["/v1/x?ke%79=s3cret&a=1", "/v1/x?a=1"],
    ["/v1/x;key=s3cret", "/v1/x"],
    ["http://user:pass@host/v1/x?key=s3cret", "/v1/x"],
    ["/v1/x?key=s3cret#key=s3cret", "/v1/x"],
  ])("removes the key from %s", (given, url) => {
    assert.isFalse(isPlain(given))
    assert.deepStrictEqual(readRequestTarget(given), { url, keys: ["s3cret"] })
  })

  it("drops the fragment, which could also contain a key", () => {
    assert.deepStrictEqual(readRequestTarget("/v1/x#?key=s3cret"), { url: "/v1/x", keys: [] })
  })

  it.each([
    ["/v1/%zz", undefined],
    ["/v1/%ff", undefined],
    ["/v1/a%00b", undefined],
    ["/v1/x?q=%", "q"],
    ["/v1/x?q=%c3%28", "q"],
    ["/v1/x?q=a%00", "q"],
    ["/v1/x?%zz=1", "%zz"],
  ])("returns an error for %s", (given, param) => {
    const target = readRequestTarget(given)
    assert.isTrue("error" in target)
    assert.strictEqual((target as { param?: string }).param, param)
  })
})

describe("closestName", () => {
  it("returns the closest name, if one is close enough", () => {
    assert.strictEqual(closestName("limt", ["limit", "offset"]), "limit")
    assert.strictEqual(closestName("Order", ["order"]), "order")
    assert.strictEqual(closestName("zebra", ["limit", "offset"]), undefined)
    assert.strictEqual(closestName("x".repeat(5000), ["x"]), undefined)
  })
})
