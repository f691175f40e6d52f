import { assert, describe, it } from "@effect/vitest"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { expectedChanges, scenarios } from "./scenarios.ts"

const kindsOf = (id: string) => {
  const scenario = scenarios.find((each) => each.id === id)
  assert.isDefined(scenario, id)
  return explanationJson(explain(scenario)).facts.map(({ kind }) => kind)
}

describe("The logs of the venue's contracts", () => {
  it.each(
    scenarios.map((scenario) => [scenario.id, scenario] as const),
  )("change the balances as balanceOf reports: %s", (_, scenario) => {
    const { changes, unexplained } = explanationJson(explain(scenario))
    const named = new Set(scenario.changes.map(({ address }) => address))
    const contracts = new Set(scenario.changes.flatMap(({ kind, address }) => (kind === "contract" ? [address] : [])))
    const read = Object.fromEntries(
      Object.entries(changes).filter(([address]) => named.has(address) && !contracts.has(address)),
    )
    assert.deepStrictEqual(read, expectedChanges(scenario, ["wallet", "service"]))
    assert.isEmpty(unexplained)
  })

  it("become facts of the right kind", () => {
    assert.deepStrictEqual(kindsOf("ctf-split"), ["split"])
    assert.deepStrictEqual(kindsOf("pusd-negrisk-adapter-merge"), ["merge"])
    assert.deepStrictEqual(kindsOf("negrisk-convert-all"), ["conversion"])
    assert.deepStrictEqual(kindsOf("auto-binary-several"), ["redemption", "redemption", "redemption"])
    assert.deepStrictEqual(kindsOf("auto-module-one"), ["redemption"])
    assert.deepStrictEqual(kindsOf("module-horizontal-split"), ["split"])
    assert.deepStrictEqual(kindsOf("module-horizontal-merge"), ["merge"])
    assert.deepStrictEqual(kindsOf("ramp-wrap"), ["deposit"])
    assert.deepStrictEqual(kindsOf("ramp-unwrap"), ["withdrawal"])
    assert.deepStrictEqual(kindsOf("transfer-single"), ["transfer"])
    assert.deepStrictEqual(
      kindsOf("resolve-yes").filter((kind) => kind !== "collateral_transfer"),
      ["resolution"],
    )
    assert.deepStrictEqual(kindsOf("negrisk-exchange1-fill-buy"), ["fill"])
  })
})
