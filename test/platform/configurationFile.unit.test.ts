import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfigurationFile } from "#src/platform/config/configurationFile.ts"

const file = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), "presage-config-")), "presage.config.json")
  writeFileSync(path, text)
  return path
}

describe("configuration file", () => {
  it.effect("may be missing", () =>
    Effect.map(readConfigurationFile("/nowhere/presage.config.json"), ({ values }) =>
      assert.deepStrictEqual(values, {}),
    ),
  )

  it.effect("may have nested sections and a byte-order mark", () =>
    Effect.gen(function* () {
      const { values } = yield* readConfigurationFile(
        file('\uFEFF{"port": 9000, "event-log": {"retention": "14d"}, "role": ["api"]}'),
      )
      assert.deepStrictEqual(values, { port: 9000, "event-log.retention": "14d", role: ["api"] })
    }),
  )

  for (const [text, problem] of [
    ["{", "is not valid JSON"],
    ["", "is not valid JSON"],
    ["[1]", "must contain a JSON object"],
    ["null", "must contain a JSON object"],
  ] as const) {
    it.effect(`reports the problem with ${JSON.stringify(text)}`, () =>
      Effect.gen(function* () {
        const path = file(text)
        const error = yield* Effect.flip(readConfigurationFile(path))
        assert.include(error.message, problem)
        assert.include(error.message, path)
      }),
    )
  }

  it.effect("reports a directory as unreadable", () =>
    Effect.map(Effect.flip(readConfigurationFile(tmpdir())), (error) =>
      assert.include(error.message, "cannot be read"),
    ),
  )
})
