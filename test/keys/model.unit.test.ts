import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { KeyName } from "#src/keys/model.ts"
import { generate } from "#src/secrets/keyFormat.ts"

const read = (name: string) =>
  Result.match(Schema.decodeUnknownResult(KeyName)(name), { onSuccess: () => "fine", onFailure: (e) => e.message })

describe("KeyName", () => {
  it.each([
    "unnamed",
    "a",
    "é 漢字 👩‍👩‍👧",
    "n".repeat(100),
    "psg_live_",
    "'; drop table account; --",
  ])("accepts %j", (name) => assert.strictEqual(read(name), "fine"))

  it.each([
    ["", /1 to 100 characters/],
    ["n".repeat(101), /1 to 100 characters/],
    ["a\u0000b", /no control or invisible characters/],
    ["two\nlines", /no control or invisible characters/],
    ["tab\t", /no control or invisible characters/],
    ["\u001b[31mred", /no control or invisible characters/],
    ["back\u202ewards", /no control or invisible characters/],
    [`my ${generate()}`, /must not contain a key/],
  ] as const)("may not be %j", (name, said) => {
    assert.match(read(name), said)
    assert.notInclude(read(name), "psg_live_")
  })
})
