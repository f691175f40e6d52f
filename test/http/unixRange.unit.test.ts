import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readUnixRange } from "#http/input/unixRange.ts"

const reading = { where: "param", nowMillis: 1_794_700_800_999, begin: (to: number) => to - 100 } as const
const read = (range: object) => Effect.runSync(readUnixRange(range, reading))
const refused = (range: object, where: "param" | "field" = "param") =>
  Effect.runSync(Effect.flip(readUnixRange(range, { ...reading, where })))

describe("readUnixRange", () => {
  it("uses the defaults for missing ends", () => {
    assert.deepStrictEqual(read({}), { from: 1_794_700_700, to: 1_794_700_800 })
    assert.deepStrictEqual(read({ to: 200 }), { from: 100, to: 200 })
    assert.deepStrictEqual(read({ from: 5, to: 5 }), { from: 5, to: 5 })
    assert.deepStrictEqual(read({ from: 0, to: 99_999_999_999 }), { from: 0, to: 99_999_999_999 })
  })

  it("explains how to fix invalid ranges", () => {
    const hint = "Divide by 1000: 1794700800."
    assert.deepInclude(refused({ from: 1_794_700_800_000 }), { param: "from", hint })
    assert.deepInclude(refused({ to: 1_794_700_800_000 }, "field"), {
      field: "to",
      hint,
      error: 'Field "to": expected Unix seconds, got 1794700800000, which looks like milliseconds.',
    })
    assert.strictEqual(refused({ from: 10, to: 9 }).param, "to")
    assert.strictEqual(refused({ from: 1_794_700_801 }).param, "from")
    for (const odd of ["now", "1", null, -1, 1.5, Number.NaN, 1e300, [], {}, true]) {
      assert.include(refused({ to: odd }, "field").error, 'Field "to": expected Unix seconds')
    }
  })
})
