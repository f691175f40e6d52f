import { assert, describe, it } from "@effect/vitest"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { type Log, LogEncoder } from "#src/simulator/chain/LogEncoder.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"
import { factKindOf, stepsOf } from "../support/comboSteps.ts"

const genesis = 1_794_700_800_000
const isSoak = process.env.PRESAGE_SOAK === "1"

const transactionOf = (logs: ReadonlyArray<Log>) => ({
  from: "0x",
  to: "0x",
  input: "0x",
  hash: `0x${"7".repeat(64)}`,
  blockNumber: "0x1",
  timestamp: "0x1",
  logs: logs.map((log, i) => ({ ...log, logIndex: `0x${i.toString(16)}` })),
})

const explained = (transaction: ReturnType<typeof transactionOf>) =>
  explanationJson(explain({ transactions: [transaction] }))

type Change = ReturnType<typeof explained>["changes"][string]

/** What wallets have after both changes. */
const sumOf = (changes: ReadonlyArray<readonly [wallet: string, change: Change]>) => {
  const sums = new Map<string, { collateral: number; tokens: Map<string, number> }>()
  for (const [wallet, { collateral, tokens }] of changes) {
    const sum = sums.get(wallet) ?? { collateral: 0, tokens: new Map() }
    sums.set(wallet, sum)
    sum.collateral += Number(collateral)
    for (const [token, shares] of Object.entries(tokens))
      sum.tokens.set(token, (sum.tokens.get(token) ?? 0) + Number(shares))
  }
  const shown = [...sums].map(([wallet, { collateral, tokens }]) => {
    const changed = [...tokens].flatMap(([id, shares]) => (shares === 0 ? [] : [[id, String(shares)] as const]))
    return [wallet, { collateral: String(collateral), tokens: Object.fromEntries(changed) }] as const
  })
  const isChanged = ({ collateral, tokens }: Change) => collateral !== "0" || Object.keys(tokens).length > 0
  return Object.fromEntries(shown.filter(([, change]) => isChanged(change)))
}

/** Everything that wallets do with Protocol V2 without trading, with their logs, and what the books say. */
const actsOf = (seed: number, scale: "brief" | "tiny") => {
  const { world, wallets, builders } = makeWorld({ seed, genesis, scale })
  world.advanceTo(genesis)
  const { facts, venue } = world
  const logs = new LogEncoder(
    world,
    wallets,
    builders.map(({ code }) => code),
    seed,
  )
  const idOf = (token: number) => venue.tokens[token]?.id ?? ""
  const isMigrated = (tx: number) => venue.markets[facts.market.get(tx)]?.plan.rule.kind === "migrated"
  const acts = Array.from({ length: facts.length }, (_, tx) => tx).filter(
    (tx) => facts.kind.get(tx) === TxKind.combo || (facts.kind.get(tx) === TxKind.redeem && isMigrated(tx)),
  )
  return acts.map((tx) => {
    const tokens = new Map<string, number>()
    const add = (token: number, shares: number) => tokens.set(idOf(token), (tokens.get(idOf(token)) ?? 0) + shares)
    const steps = stepsOf(facts, tx)
    for (const { given, received, amount, created } of steps) {
      for (const token of given) add(token, -amount)
      for (const token of received) add(token, created)
    }
    if (steps.length === 0) {
      const [yes = 0, no = 0] = venue.markets[facts.market.get(tx)]?.tokens ?? []
      add(yes, -facts.amount.get(tx))
      add(no, -facts.second.get(tx))
    }
    const changed = [...tokens].flatMap(([id, shares]) => (shares === 0 ? [] : [[id, String(shares)] as const]))
    const change = { collateral: String(facts.extra.get(tx)), tokens: Object.fromEntries(changed) }
    const transaction = transactionOf(logs.logsOf(tx))
    return { wallet: wallets[facts.wallet.get(tx)]?.address ?? "", steps, change, transaction }
  })
}

describe("What simulated wallets do with combos", () => {
  const seeds = isSoak ? Array.from({ length: 20 }, (_, i) => i + 1) : [3]
  const acts = [...seeds.flatMap((seed) => actsOf(seed, "tiny")), ...actsOf(8, "brief")]

  it("changes their balances as the venue's books say, and is read step by step", () => {
    for (const { wallet, steps, change, transaction } of acts) {
      const { changes, facts, unexplained } = explained(transaction)
      assert.deepStrictEqual(changes, sumOf([[wallet, change]]))
      assert.isEmpty(unexplained)
      const read = facts.flatMap(({ kind, ...fact }) => ("wallet" in fact ? [[kind, fact.wallet]] : []))
      const expected = steps.map((step) => [factKindOf(step), wallet])
      if (steps.length > 0) assert.deepStrictEqual(read, expected)
    }
  })

  it("changes the same balances when a transaction does it for several wallets", () => {
    const pairs = acts.flatMap((first, i) =>
      i % 2 === 0 ? [[first, acts[(i * 7 + 3) % acts.length] ?? first] as const] : [],
    )
    assert.isAbove(pairs.length, 300)
    for (const pair of pairs) {
      const { changes, unexplained } = explained(transactionOf(pair.flatMap(({ transaction }) => transaction.logs)))
      assert.deepStrictEqual(changes, sumOf(pair.map(({ wallet, change }) => [wallet, change])))
      assert.isEmpty(unexplained)
    }
  })

  it("is everything that the contracts offer, also in sequences", () => {
    const operations = new Set(acts.flatMap(({ steps }) => steps.map(({ operation }) => operation)))
    for (const operation of ["compress", "split", "merge", "extract", "inject", "wrap", "unwrap"] as const)
      assert.isTrue(operations.has(operation), operation)
    for (const operation of ["convert_to_yes_basket", "merge_from_yes_basket"] as const)
      assert.isTrue(operations.has(operation), operation)
    const sequences = new Set(acts.flatMap(({ steps }) => (steps.length > 1 ? [steps[0]?.operation] : [])))
    assert.deepStrictEqual(
      sequences,
      new Set(["split_collateral", "merge", "inject", "merge_from_yes_basket"] as const),
    )
  })
})
