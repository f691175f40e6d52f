import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import parsers from "@stoplight/spectral-parsers"
import rulesets from "@stoplight/spectral-rulesets"
import { document } from "./support/document.ts"

const source = JSON.stringify(document)

/** Fixed paths beside ones with a parameter, such as `/v3/markets/search`: OpenAPI prefers the fixed one, and so do we. */
const accepted = ["no-ambiguous-paths"]

describe("linters of the contract", () => {
  it("redocly finds nothing", async () => {
    const config = await createConfig({ extends: ["recommended"] })
    const found = await lintFromString({ source, absoluteRef: "openapi.json", config })
    const shown = found
      .filter(({ ruleId }) => !accepted.includes(ruleId))
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`)
    assert.deepStrictEqual(shown, [])
  })

  it("spectral finds nothing", async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [rulesets.oas as spectral.RulesetDefinition] })
    const found = await linter.run(new spectral.Document(source, parsers.Json, "openapi.json"))
    assert.deepStrictEqual(
      found.map(({ code, message, path }) => `${code}: ${message} ${path.join(".")}`),
      [],
    )
  })
})
