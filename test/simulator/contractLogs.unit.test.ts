import { assert, describe, it } from "@effect/vitest"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import type { Log } from "#src/simulator/chain/LogEncoder.ts"
import { changeCombo } from "#src/simulator/chain/logs/comboChanges.ts"
import { convert } from "#src/simulator/chain/logs/conversion.ts"
import { prepare, resolve } from "#src/simulator/chain/logs/lifecycle.ts"
import { settle } from "#src/simulator/chain/logs/match/match.ts"
import { merge, split } from "#src/simulator/chain/logs/positions.ts"
import { redeem } from "#src/simulator/chain/logs/redemption.ts"
import { migration, transferShares, unwrap } from "#src/simulator/chain/logs/transfers.ts"
import { scenarios } from "../explain/scenarios.ts"
import {
  asComboLogs,
  changesOf,
  comboStepIn,
  type MarketKind,
  marketOf,
  matchIn,
  positionsOf,
  recordedLogs,
  recordedTransactions,
  scenarioOf,
} from "./recordedActions.ts"

const first: MarketKind = { generation: 1, negRisk: false }
const negRiskFirst: MarketKind = { generation: 1, negRisk: true }
const second: MarketKind = { generation: 2, negRisk: false }
const negRiskSecond: MarketKind = { generation: 2, negRisk: true }
const combo: MarketKind = { generation: 3, negRisk: false }
const binaryModule: MarketKind = { ...combo, binary: true }

const at = 1_794_700_800_000

/** A recorded scenario with the market it is about. */
const actionOf = (id: string, kind: MarketKind) => {
  const scenario = scenarioOf(id)
  const market = marketOf(scenario)
  const isCombo = kind.generation === 3 && !kind.binary
  const recorded = isCombo ? asComboLogs(recordedLogs(scenario)) : recordedLogs(scenario)
  return { scenario, market, recorded, positions: positionsOf(market, kind) }
}

const exchangeKinds: ReadonlyArray<readonly [name: RegExp, MarketKind]> = [
  [/^(exchange1-|wallet-.*-1$)/, first],
  [/^negrisk-exchange1-/, negRiskFirst],
  [/^(exchange2-|wallet-.*-2$)/, second],
  [/^negrisk-exchange2-/, negRiskSecond],
  [/^exchange3-/, combo],
]

/** Recorded matches that the simulated venue never settles, and why. */
const neverSettled: ReadonlyArray<readonly [why: string, name: RegExp]> = [
  [
    "every match of the first exchange goes through the fee module, which receives the fees",
    /exchange1-(match-.*-fees|mint-fees|merge-fees|mixed-buy)$/,
  ],
  ["takers are asked for exactly what the makers get, so nothing is returned", /-refund$/],
]

const isMatch = (logs: ReadonlyArray<Log>) =>
  logs.some(({ topics: [kind] }) => kind === topic.ordersMatched1 || kind === topic.ordersMatched2)

const matches = exchangeKinds.flatMap(([name, kind]) =>
  scenarios
    .filter(({ id }) => name.test(id) && !neverSettled.some(([, never]) => never.test(id)))
    .filter((scenario) => recordedTransactions(scenario).some(isMatch))
    .map(({ id }) => [id, kind] as const),
)

/** A log without its values. */
const shapeOf = ({ address: from, topics }: Log) => [from, topics[0], topics.length]

describe("The simulated contracts log what the real ones do", () => {
  it.each(matches)("match: %s", (id, kind) => {
    const scenario = scenarioOf(id)
    const positions = positionsOf(marketOf(scenario), kind)
    for (const logs of recordedTransactions(scenario).filter(isMatch)) {
      // The simulated venue prepares a combo in a transaction of its own.
      const settled = logs.filter(({ topics }) => topics[0] !== topic.comboPrepared)
      const recorded = kind === combo ? asComboLogs(settled) : settled
      assert.deepStrictEqual(settle(matchIn(recorded, positions)), recorded)
    }
  })

  it("settles every kind of match at every exchange", () => {
    const names = matches.map(([id]) => id).join("\n")
    for (const exchange of ["exchange1", "negrisk-exchange1", "exchange2", "negrisk-exchange2", "exchange3"]) {
      for (const kind of ["buy", "sell", "mint", "merge"])
        assert.match(names, new RegExp(`^${exchange}-.*${kind}`, "m"))
    }
  })

  it.each([
    ["ctf-split", first],
    ["negrisk-split", negRiskFirst],
    ["pusd-adapter-split", second],
    ["pusd-negrisk-adapter-split", negRiskSecond],
    ["module-split", combo],
    ["combo-split", combo],
  ] as const)("split: %s", (id, kind) => {
    const { scenario, market, recorded, positions } = actionOf(id, kind)
    const { wallet, sharesOf } = changesOf(scenario)
    assert.deepStrictEqual(split(positions, wallet, sharesOf(market)[0]), recorded)
  })

  it.each([
    ["ctf-merge", first],
    ["negrisk-merge", negRiskFirst],
    ["pusd-adapter-merge", second],
    ["pusd-negrisk-adapter-merge", negRiskSecond],
    ["module-merge", combo],
    ["combo-merge", combo],
  ] as const)("merge: %s", (id, kind) => {
    const { scenario, market, recorded, positions } = actionOf(id, kind)
    const { wallet, sharesOf } = changesOf(scenario)
    assert.deepStrictEqual(merge(positions, wallet, -sharesOf(market)[0]), recorded)
  })

  it.each([
    ["ctf-redeem-yes-both", first, [1, 0]],
    ["ctf-redeem-yes-only-yes", first, [1, 0]],
    ["ctf-redeem-yes-only-no", first, [1, 0]],
    ["ctf-redeem-half-both", first, [1, 1]],
    ["negrisk-redeem-winner", negRiskFirst, [1, 0]],
    ["negrisk-redeem-both", negRiskFirst, [1, 0]],
    ["negrisk-redeem-loser", negRiskFirst, [0, 1]],
    ["pusd-adapter-redeem-both", second, [1, 0]],
    ["pusd-adapter-redeem-loser", second, [1, 0]],
    ["pusd-adapter-redeem-half", second, [1, 1]],
    ["pusd-negrisk-adapter-redeem-both", negRiskSecond, [0, 1]],
    ["pusd-negrisk-adapter-redeem-winner", negRiskSecond, [1, 0]],
    ["auto-binary-one", second, [1, 0]],
    ["auto-negrisk-one", negRiskSecond, [1, 0]],
    ["module-redeem", binaryModule, [1, 0]],
    ["module-redeem-loser", binaryModule, [1, 0]],
    ["combo-redeem", combo, [1, 1]],
    ["auto-module-one", binaryModule, [1, 0]],
  ] as const)("redemption: %s", (id, kind, payouts) => {
    const { scenario, market, recorded, positions } = actionOf(id, kind)
    const { wallet, sharesOf, usd } = changesOf(scenario)
    const [yes, no] = sharesOf(market)
    positions.market.payouts = payouts
    const redeemed = { amounts: [-yes, -no] as const, payout: usd, automatic: id.startsWith("auto-") }
    assert.deepStrictEqual(redeem(positions, wallet, redeemed), recorded)
  })

  it.each([
    ["negrisk-convert-one", negRiskFirst],
    ["negrisk-convert-two", negRiskFirst],
    ["negrisk-convert-all", negRiskFirst],
    ["negrisk-convert-middle", negRiskFirst],
    ["pusd-negrisk-adapter-convert-one", negRiskSecond],
    ["pusd-negrisk-adapter-convert-two", negRiskSecond],
  ] as const)("conversion: %s", (id, kind) => {
    const { scenario, recorded } = actionOf(id, kind)
    const { wallet, sharesOf } = changesOf(scenario)
    const markets = scenario.about.questions ?? []
    const given = markets.map((market) => -sharesOf(market)[1])
    const bits = given.reduce((sum, amount, i) => (amount > 0 ? sum + 2 ** i : sum), 0)
    const questions = markets.map((market, i) => positionsOf(market, kind, i))
    assert.deepStrictEqual(convert({ questions, bits, amount: Math.max(...given) }, wallet), recorded)
  })

  it.each([
    ["combo-split-on-condition", "split"],
    ["combo-basket", "convert_to_yes_basket"],
    ["combo-compress", "compress"],
    ["combo-compress-no", "compress"],
    ["combo-wrap", "wrap"],
  ] as const)("change of a combo: %s", (id, operation) => {
    const { scenario, recorded, positions } = actionOf(id, combo)
    const { wallet, usd: paid } = changesOf(scenario)
    const { step, withoutLegs } = comboStepIn(recorded, positions)
    const logs = changeCombo([{ ...step, operation, paid }], wallet)
    assert.deepStrictEqual(logs.map(withoutLegs), recorded.map(withoutLegs))
  })

  it("wrap and unwrap", () => {
    const [wrapped, unwrapped] = [scenarioOf("ramp-wrap"), scenarioOf("ramp-unwrap")]
    const { wallet } = changesOf(wrapped)
    assert.deepStrictEqual(migration(wallet, 250_000_000), recordedLogs(wrapped))
    assert.deepStrictEqual(unwrap(address.collateralOfframp, wallet, wallet, 50_000_000), recordedLogs(unwrapped))
  })

  it.each([
    ["transfer-single", second, 0, 25_000_000],
    ["module-transfer", binaryModule, 0, 5_000_000],
  ] as const)("transfer: %s", (id, kind, outcome, amount) => {
    const { scenario, recorded, positions } = actionOf(id, kind)
    const [from, to] = scenario.changes.flatMap((account) => (account.kind === "wallet" ? [account.address] : []))
    const route = { contract: positions.exchange.tokens, operator: from ?? "", from: from ?? "", to: to ?? "" }
    assert.deepStrictEqual([transferShares(route, positions.tokens[outcome], amount)], recorded)
  })

  it.each([
    ["resolve-yes", second, [1, 0]],
    ["resolve-half", second, [1, 1]],
    ["negrisk-resolve", negRiskSecond, [1, 0]],
    ["negrisk-resolve-no", negRiskSecond, [0, 1]],
  ] as const)("resolution: %s", (id, kind, payouts) => {
    const { recorded, positions } = actionOf(id, kind)
    positions.market.payouts = payouts
    assert.deepStrictEqual(resolve(positions), recorded)
  })

  it("preparation of markets, apart from their texts", () => {
    const { recorded, positions } = actionOf("uma-initialize", second)
    assert.deepStrictEqual(prepare(positions, at).map(shapeOf), recorded.map(shapeOf))
    const registered = actionOf("exchange1-register", first)
    assert.deepStrictEqual(prepare(registered.positions, at).slice(-2), registered.recorded)
    const event = scenarioOf("negrisk-prepare")
    const questions = (event.about.questions ?? []).map((market, i) => positionsOf(market, negRiskSecond, i))
    assert.deepStrictEqual(
      questions.flatMap((question) => prepare(question, at)).map(shapeOf),
      recordedLogs(event).map(shapeOf),
    )
    const prepared = actionOf("combo-prepare", combo)
    assert.deepStrictEqual(prepare(prepared.positions, at).map(shapeOf), prepared.recorded.map(shapeOf))
  })
})
