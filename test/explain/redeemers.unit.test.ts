import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { Scenario } from "#src/explain/scenario.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { expectedChanges, type RecordedScenario, scenarios } from "./scenarios.ts"

const asTopic = (digits: string) => `0x${digits.padStart(64, "0")}`

const read = (transactions: unknown) => explanationJson(explain(Schema.decodeUnknownSync(Scenario)({ transactions })))

/** The same transactions of another redeemer. */
const throughOther = ({ transactions }: RecordedScenario, redeemer: string): RecordedScenario["transactions"] =>
  JSON.parse(JSON.stringify(transactions).replaceAll(address.autoRedeemer, redeemer))

/** As before pUSD: the redeemer sends the USDC.e to the wallet that the exchange log names. */
const paidInUsdce = (transactions: RecordedScenario["transactions"]) =>
  transactions.map((transaction) => {
    const { logs } = transaction
    return {
      ...transaction,
      logs: logs.flatMap((log, i) => {
        const toRamp = log.address === `0x${address.usdce}` && log.topics[2] === asTopic(address.pusd)
        if (toRamp) {
          const wrapped = logs.slice(i).find(({ topics }) => topics[0] === topic.wrapped)
          return [{ ...log, topics: [...log.topics.slice(0, 2), wrapped?.topics[3] ?? ""] }]
        }
        const isOfRamp = log.address === `0x${address.pusd}` || log.topics[2] === asTopic(address.pusdVault)
        return isOfRamp ? [] : [log]
      }),
    }
  })

const automatic = scenarios.filter(({ id }) => /^auto-(binary|negrisk)/.test(id))

describe("The earlier auto-redeemers", () => {
  it.each(automatic.map((scenario) => [scenario.id, scenario] as const))("pass everything on: %s", (_, scenario) => {
    for (const redeemer of [address.autoRedeemerFirst, address.autoRedeemerSecond]) {
      const { facts, changes, unexplained } = read(throughOther(scenario, redeemer))
      assert.deepStrictEqual(changes, expectedChanges([scenario]))
      assert.isEmpty(unexplained)
      assert.isEmpty(facts.filter(({ kind }) => kind !== "redemption"))
    }
  })

  it("pay USDC.e if they are older than pUSD", () => {
    assert.isNotEmpty(automatic)
    for (const scenario of automatic) {
      const { facts, changes, unexplained } = read(paidInUsdce(throughOther(scenario, address.autoRedeemerFirst)))
      assert.deepStrictEqual(changes, expectedChanges([scenario]))
      assert.isEmpty(unexplained)
      assert.isEmpty(facts.filter(({ kind }) => kind !== "redemption"))
    }
  })
})
