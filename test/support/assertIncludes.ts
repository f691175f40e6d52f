import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"

/** Like `assert.deepInclude`, which takes a hundred times as long: for comparisons of thousands of rows. */
export const assertIncludes = (actual: object | undefined, expected: object, message: string) => {
  const own = (actual ?? {}) as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(expected))
    if (!isDeepStrictEqual(own[name], value)) return assert.deepInclude(actual, expected, message)
}
