import { assert, describe, it } from "@effect/vitest"
import { differences, parseExample } from "./support/shape.ts"

const compare = (example: string, answer: unknown) => differences(parseExample(example), answer)

describe("examples of answers", () => {
  it("match an answer with the same keys and types", () => {
    assert.deepStrictEqual(compare('{"a": 1, "b": [{"c": "x"}], "d": null}', { a: 7, b: [{ c: "y" }], d: true }), [])
  })

  it("may leave out keys and items with an ellipsis", () => {
    assert.deepStrictEqual(
      compare('{"a": {"x": 1, …}, "b": [1, …], "c": […], "d": {…}}', { a: { x: 1, y: 2 }, b: [1, 2], c: [], d: {} }),
      [],
    )
  })

  it("keep an ellipsis inside a text", () => {
    assert.deepStrictEqual(parseExample('{"key": "psg_live_…"}'), { key: "psg_live_…" })
  })

  it("differ by a missing key, a new key, a type and an empty list", () => {
    assert.deepStrictEqual(compare('{"a": 1, "b": "x", "c": [1]}', { b: 2, c: [], d: 3 }), [
      "$.a: not in the answer",
      "$.d: not in the example",
      "$.b: the example has string, the answer number",
      "$.c: the answer is empty",
    ])
  })
})
