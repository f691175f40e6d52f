import { assert, describe, it } from "@effect/vitest"
import { topic } from "#src/simulator/chain/contracts.ts"
import { conditionIdOf, negRiskMarketIdOf } from "#src/simulator/chain/ids.ts"
import { scenarios } from "#test/explain/scenarios.ts"

const logs = scenarios.flatMap(({ transactions }) => transactions.flatMap((each) => each.logs))
const ofKind = (kind: string) => logs.filter(({ topics }) => topics[0] === kind)
const addressIn = (word = "") => `0x${word.slice(-40)}`

describe("Ids of the simulated venue", () => {
  it("derive conditions as the real contract does", () => {
    const prepared = ofKind(topic.conditionPreparation)
    assert.isAbove(prepared.length, 3)
    for (const { topics } of prepared) {
      assert.strictEqual(conditionIdOf(addressIn(topics[2]), topics[3] ?? ""), topics[1])
    }
  })

  it("derive neg-risk events as the real adapter does", () => {
    const prepared = ofKind(topic.marketPrepared)
    assert.isNotEmpty(prepared)
    for (const { topics, data } of prepared) {
      const [feeBips, text] = [Number(`0x${data.slice(2, 66)}`), data.slice(2 + 128)]
      assert.strictEqual(negRiskMarketIdOf(addressIn(topics[2]), feeBips, text), topics[1])
    }
  })
})
