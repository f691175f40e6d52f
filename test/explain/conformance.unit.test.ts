import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { expectedChanges, type RecordedScenario, scenarios } from "./scenarios.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const kindsOf = (id: string) => {
  const scenario = scenarios.find((each) => each.id === id)
  assert.isDefined(scenario, id)
  return explanationJson(explain(scenario)).facts.map(({ kind }) => kind)
}

/** Contracts of the oracle, whose collateral is none of the venue's. */
const foreignContracts = new Set([
  ...scenarios.flatMap(({ changes }) => changes.flatMap(({ kind, address }) => (kind === "contract" ? [address] : []))),
  "0xe58480ca74f1a819fafd777beded4e2d5629943d",
])

const withoutContracts = (changes: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(changes).filter(([address]) => !foreignContracts.has(address)))

/** All pairs in a soak; otherwise a different share of them for every first scenario. */
const combinations = scenarios.flatMap((first, i) =>
  scenarios.filter((_, j) => isSoak || (i * 7 + j) % 16 === 0).map((second) => [first, second] as const),
)

/** One transaction with the logs of both scenarios. */
const combined = (first: RecordedScenario, second: RecordedScenario) => {
  const [transaction] = first.transactions
  assert.isDefined(transaction)
  const logs = [first, second].flatMap(({ transactions }) => transactions.flatMap((each) => each.logs))
  const numbered = logs.map((log, i) => ({ ...log, logIndex: `0x${i.toString(16)}` }))
  return { transactions: [{ ...transaction, logs: numbered }] }
}

describe("The logs of the venue's contracts", () => {
  it.each(
    scenarios.map((scenario) => [scenario.id, scenario] as const),
  )("change the balances as balanceOf reports: %s", (_, scenario) => {
    const { changes, unexplained } = explanationJson(explain(scenario))
    assert.deepStrictEqual(withoutContracts(changes), expectedChanges([scenario]))
    assert.isEmpty(unexplained)
  })

  it("change the same balances when a transaction does several things", () => {
    const wrong = combinations.flatMap(([first, second]) => {
      const { changes } = explanationJson(explain(combined(first, second)))
      const isRight = isDeepStrictEqual(withoutContracts(changes), expectedChanges([first, second]))
      return isRight ? [] : [`${first.id} and ${second.id}`]
    })
    assert.isAbove(combinations.length, 1_000)
    assert.deepStrictEqual(wrong, [])
  })

  it("take tokens from a wallet that sends them to a contract by mistake", () => {
    const scenario = scenarios.find(({ id }) => id === "transfer-single")
    assert.isDefined(scenario)
    const [transaction] = scenario.transactions
    const [log] = transaction?.logs ?? []
    assert.isDefined(transaction)
    assert.isDefined(log)
    const [kind = "", operator = "", from = ""] = log.topics
    const sender = `0x${from.slice(26)}`
    const expected = expectedChanges([scenario])[sender]
    assert.isDefined(expected)
    for (const receiver of [
      address.ctfExchange2,
      address.feeModule,
      address.negRiskVault,
      address.noBurn,
      address.ctf,
    ]) {
      const topics = [kind, operator, from, `0x${receiver.padStart(64, "0")}`]
      const { changes } = explanationJson(explain({ transactions: [{ ...transaction, logs: [{ ...log, topics }] }] }))
      assert.deepStrictEqual(changes, { [sender]: expected })
    }
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
    assert.deepStrictEqual(kindsOf("negrisk-exchange1-fill-buy"), ["fill", "stock_change"])
  })
})
