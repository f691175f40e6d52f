import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { Scenario } from "#src/explain/scenario.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { scenarios } from "./scenarios.ts"

const worthless = "bad".padEnd(40, "0")

const changed = (id: string, change: (text: string) => string) => {
  const scenario = scenarios.find((each) => each.id === id)
  assert.isDefined(scenario, id)
  const text = JSON.stringify({ transactions: scenario.transactions })
  const other = change(text)
  assert.notStrictEqual(other, text)
  return explanationJson(explain(Schema.decodeUnknownSync(Scenario)(JSON.parse(other))))
}

/** Anyone may deploy a token and use it as collateral of any condition. */
const withWorthlessCollateral = (text: string) => text.replaceAll(address.usdce, worthless)

/** The outcome of one condition as collateral of another one. */
const withParent = (text: string) =>
  text.replaceAll(
    new RegExp(`("${topic.ctfSplit}|${topic.ctfMerge}|${topic.ctfRedemption}")(.*?)"0x0{64}"`, "g"),
    (all) => all.replace(`0x${"0".repeat(64)}`, `0x${"7".repeat(64)}`),
  )

describe("Tokens that anyone can mint", () => {
  it.each([
    "ctf-split",
    "ctf-merge",
    "ctf-redeem-yes-both",
    "ctf-redeem-half-unequal",
  ])("are worth nothing with worthless collateral: %s", (id) => {
    assert.deepStrictEqual(changed(id, withWorthlessCollateral), { facts: [], changes: {}, unexplained: [] })
  })

  it.each([
    "ctf-split",
    "ctf-merge",
    "ctf-redeem-yes-both",
  ])("are no position of the venue below the outcome of another condition: %s", (id) => {
    const { facts } = changed(id, withParent)
    assert.isEmpty(facts.filter(({ kind }) => ["split", "merge", "redemption"].includes(kind)))
  })
})
