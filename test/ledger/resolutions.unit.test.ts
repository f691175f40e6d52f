import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Fact } from "#src/domain/Fact.ts"
import { decodeFacts } from "#src/ledger/batches.ts"
import { deriveFacts, firstComboSub } from "#src/ledger/resolutions/derive.ts"
import { Outcomes } from "#src/ledger/resolutions/Outcomes.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { ChainEvent } from "#src/upstream/chain/events.ts"

const event = `02${"ab".repeat(16)}0003${"0".repeat(20)}`
const conditionAt = (index: number) => `${event}000${index}00`

const factsOf = (...events: ReadonlyArray<ChainEvent>) =>
  decodeFacts(
    events.map((each, logIndex) => ({
      block: 9,
      blockHash: "",
      logIndex,
      txIndex: 0,
      at: 1_000,
      tx: "77".repeat(32),
      event: each,
    })),
  ).facts

const idOf = (name: string) => Number.parseInt(name.slice(2, 8), 16)
const ids = { wallet: idOf, token: idOf, condition: idOf, builder: idOf }

const module = address.negRiskModule
const yes = [1_000_000, 0]
const no = [0, 1_000_000]

const shown = (facts: ReadonlyArray<Fact>) =>
  facts.flatMap((fact) =>
    fact.kind === "resolution" ? [[fact.logIndex, fact.sub, fact.condition, fact.payouts] as const] : [],
  )

describe("Conditions of a neg-risk event", () => {
  it("are NO without a log of their own once one of them is YES, also the one for any other outcome", () => {
    const facts = factsOf(
      { _tag: "ModuleResolution", module, condition: conditionAt(1), payouts: yes },
      { _tag: "RemainingConditionsNo", module, event: `${event}000000` },
    )
    assert.deepStrictEqual(shown(facts), [
      [0, 0, conditionAt(1), yes],
      [1, 1, conditionAt(0), no],
      [1, 3, conditionAt(2), no],
      [1, 4, conditionAt(3), no],
    ])
  })

  it("are resolved once if a log confirms later what was clear before", () => {
    const outcomes = new Outcomes()
    outcomes.resolve(conditionAt(0), no)
    const facts = factsOf(
      { _tag: "ModuleResolution", module, condition: conditionAt(1), payouts: yes },
      { _tag: "RemainingConditionsNo", module, event: `${event}000000` },
      { _tag: "ModuleResolution", module, condition: conditionAt(2), payouts: no },
    )
    assert.deepStrictEqual(
      shown(deriveFacts(facts, outcomes, ids)).map(([, , condition]) => condition),
      [conditionAt(1), conditionAt(2), conditionAt(3)],
    )
  })

  it("leave YES for the one of any other outcome if all others are NO", () => {
    const facts = factsOf({ _tag: "SyntheticConditionYes", module, condition: conditionAt(3) })
    assert.deepStrictEqual(shown(facts), [[0, 1, conditionAt(3), yes]])
  })
})

const combo = `03${"c0".repeat(16)}`.padEnd(64, "0")
const leg = (number: number) => `01${String(number).repeat(32)}`.padEnd(64, "0")
const tokenOf = (condition: string, outcome: number) => `${condition.slice(0, 62)}0${outcome}`

const resolved = (condition: string, payouts: ReadonlyArray<number>): ChainEvent => ({
  _tag: "ModuleResolution",
  module,
  condition,
  payouts,
})
const prepared = (...legs: ReadonlyArray<string>): ChainEvent => ({ _tag: "ComboPrepared", condition: combo, legs })

/** When and how the combo is resolved. */
const comboResult = (...events: ReadonlyArray<ChainEvent>) =>
  shown(deriveFacts(factsOf(...events), new Outcomes(), ids)).flatMap(([logIndex, sub, condition, payouts]) =>
    condition === combo ? [{ logIndex, sub, payouts }] : [],
  )

describe("A combo", () => {
  const sub = firstComboSub + idOf(combo)

  it("is lost with its first lost leg, while others are open", () => {
    const legs = [tokenOf(leg(1), 0), tokenOf(leg(2), 1), tokenOf(leg(3), 0)]
    assert.deepStrictEqual(comboResult(prepared(...legs), resolved(leg(1), yes), resolved(leg(2), yes)), [
      { logIndex: 2, sub, payouts: no },
    ])
  })

  it("pays the product of its legs once all are resolved", () => {
    const legs = [tokenOf(leg(1), 0), tokenOf(leg(2), 1), tokenOf(leg(3), 0)]
    const half = [1, 1]
    assert.deepStrictEqual(
      comboResult(prepared(...legs), resolved(leg(1), half), resolved(leg(3), yes), resolved(leg(2), half)),
      [{ logIndex: 3, sub, payouts: [250_000, 750_000] }],
    )
    assert.deepStrictEqual(comboResult(prepared(...legs), resolved(leg(1), half), resolved(leg(3), yes)), [])
  })

  it("is decided when it is prepared if its legs are resolved already", () => {
    assert.deepStrictEqual(comboResult(resolved(leg(1), yes), prepared(tokenOf(leg(1), 0))), [
      { logIndex: 1, sub, payouts: yes },
    ])
  })

  it("follows the older condition that a leg is another name of", () => {
    const legacy = "1e".repeat(32)
    const rename: ChainEvent = { _tag: "MigrationRegistered", module, condition: leg(1), legacy }
    const expected = (logIndex: number) => [{ logIndex, sub, payouts: yes }]
    const legs = prepared(tokenOf(leg(1), 0))
    assert.deepStrictEqual(comboResult(rename, legs, resolved(legacy, yes)), expected(2))
    assert.deepStrictEqual(comboResult(resolved(legacy, yes), rename, legs), expected(2))
    assert.deepStrictEqual(comboResult(legs, resolved(legacy, yes), rename), expected(2))
    assert.deepStrictEqual(comboResult(rename, legs, resolved(legacy, yes), resolved(leg(1), yes)), expected(2))
  })

  it("has payouts in exact proportion, whatever its legs pay", () => {
    const payouts = fc.tuple(fc.integer({ min: 1, max: 999_999 })).map(([first]) => [first, 1_000_000 - first] as const)
    fc.assert(
      fc.property(fc.array(payouts, { minLength: 1, maxLength: 9 }), (results) => {
        const legs = results.map((_, i) => tokenOf(leg(i), 0))
        const [result] = comboResult(prepared(...legs), ...results.map((each, i) => resolved(leg(i), each)))
        const [won = 0, lost = 0] = result?.payouts ?? []
        const product = results.reduce((all, [first]) => all * (first / 1e6), 1)
        assert.isTrue(Number.isSafeInteger(won + lost))
        assert.closeTo(won / (won + lost), product, 1e-12)
      }),
    )
  })
})
