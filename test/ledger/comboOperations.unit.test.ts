import { assert, describe, it } from "@effect/vitest"
import { shares, usdc } from "#src/domain/amounts.ts"
import type { Fact } from "#src/domain/Fact.ts"
import { decodeFacts } from "#src/ledger/batches.ts"
import { applyFact } from "#src/ledger/positions/applyFacts.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { ChainEvent } from "#src/upstream/chain/events.ts"

const [alice, bob] = ["a1".repeat(20), "b0".repeat(20)] as const
const module = address.comboModule
const token = (name: number, outcome: 0 | 1 = 0) => `${`03${String(name).repeat(32)}`.padEnd(62, "0")}0${outcome}`

const move = (
  operator: string,
  from: string,
  to: string,
  ...moved: ReadonlyArray<readonly [string, number]>
): ChainEvent => ({
  _tag: "TransferBatch",
  contract: address.positionManager,
  operator,
  from,
  to,
  tokens: moved.map(([each]) => each),
  amounts: moved.map(([, amount]) => shares(amount)),
})
const handOver = (from: string, ...moved: ReadonlyArray<readonly [string, number]>) =>
  move(address.router, from, module, ...moved)
const mint = (to: string, each: string, amount: number) => move(module, address.zero, to, [each, amount])
const burn = (...moved: ReadonlyArray<readonly [string, number]>) => move(module, module, address.zero, ...moved)
const exchange = ({
  paid = 0,
  ...more
}: {
  readonly paid?: number
  readonly isBeforeMoves?: true
} = {}): ChainEvent => ({
  _tag: "ModuleExchange",
  module,
  operation: "split",
  paid: usdc(paid),
  ...more,
})

const read = (...events: ReadonlyArray<ChainEvent>) =>
  decodeFacts(
    events.map((event, logIndex) => ({
      block: 9,
      blockHash: "",
      logIndex,
      txIndex: 0,
      at: 1_000,
      tx: "77".repeat(32),
      event,
    })),
  )

/** Changes of shares, by wallet and token. */
const sharesAfter = (facts: ReadonlyArray<Fact>) => {
  const names: Array<string> = []
  const idOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1)
  const book = new PositionBook()
  for (const fact of facts)
    applyFact(book, fact, { wallet: idOf, token: idOf, condition: idOf, builder: idOf }, () => [])
  return new Set(
    book
      .changed()
      .filter(({ shares }) => shares !== 0)
      .map(({ wallet, token: held, shares }) => `${names[wallet]?.slice(0, 2)} ${names[held]?.slice(2, 4)} ${shares}`),
  )
}

describe("Changes of combos", () => {
  it("give each recipient of a split its part", () => {
    const { facts, pairs } = read(
      handOver(alice, [token(1), 5]),
      mint(alice, token(2), 5),
      mint(bob, token(3), 5),
      burn([token(1), 5]),
      exchange(),
    )
    assert.deepStrictEqual(sharesAfter(facts), new Set(["a1 11 -5", "a1 22 5", "b0 33 5"]))
    assert.includeDeepMembers([...pairs], [{ condition: token(3), tokens: [token(3), token(3, 1)] }])
  })

  it("read the tokens of a conversion after its log, and those of the next change from there on", () => {
    const { facts } = read(
      handOver(alice, [token(1), 5]),
      exchange({ isBeforeMoves: true }),
      mint(alice, token(2), 5),
      mint(alice, token(3), 5),
      burn([token(1), 5]),
      handOver(alice, [token(2), 4]),
      mint(alice, token(4), 4),
      burn([token(2), 4]),
      exchange(),
    )
    assert.deepStrictEqual(
      facts.map(({ kind, logIndex }) => [kind, logIndex]),
      [
        ["conversion", 1],
        ["conversion", 8],
      ],
    )
    assert.deepStrictEqual(sharesAfter(facts), new Set(["a1 11 -5", "a1 22 1", "a1 33 5", "a1 44 4"]))
  })

  const sequenceEnds = (operations: number): ChainEvent => ({ _tag: "SequenceEnded", wallet: alice, operations })
  const merged = (condition: string, recipient: string, amount: number): ChainEvent => ({
    _tag: "ModuleMerge",
    module,
    initiator: address.router,
    condition,
    recipient,
    amount: shares(amount),
  })
  const split = (condition: string, recipients: readonly [string, string], amount: number): ChainEvent => ({
    _tag: "ModuleSplit",
    module,
    initiator: address.router,
    condition,
    recipients,
    amount: shares(amount),
  })

  it("in a sequence are the wallet's one by one, though the module holds what later ones use", () => {
    const { facts } = read(
      handOver(alice, [token(1, 1), 6], [token(2), 6], [token(3), 6]),
      mint(module, token(1), 6),
      burn([token(2), 6], [token(3), 6]),
      exchange(),
      burn([token(1), 6], [token(1, 1), 6]),
      merged(token(1), alice, 6),
      sequenceEnds(2),
    )
    assert.deepStrictEqual(
      facts.map((fact) => [fact.kind, fact.logIndex, "wallet" in fact && fact.wallet]),
      [
        ["conversion", 3, alice],
        ["merge", 5, alice],
      ],
    )
    assert.deepStrictEqual(sharesAfter(facts), new Set(["a1 11 -6", "a1 22 -6", "a1 33 -6"]))
  })

  it("in a sequence that begins with collateral are those of the wallet that pays, also if others get a part", () => {
    const { facts } = read(
      mint(module, token(1), 4),
      mint(bob, token(1, 1), 4),
      split(token(1), [module, bob], 4),
      mint(alice, token(2), 4),
      mint(bob, token(3), 4),
      burn([token(1), 4]),
      exchange(),
      sequenceEnds(2),
    )
    assert.deepStrictEqual(
      facts.map((fact) => [fact.kind, fact.logIndex]),
      [
        ["split", 2],
        ["transfer", 2],
        ["conversion", 6],
        ["transfer", 6],
      ],
    )
    const changed = ["a1 22 4", "b0 11 4", "b0 33 4"]
    assert.deepStrictEqual(sharesAfter(facts), new Set(changed))
  })

  it("leave with the module what a sequence does not use, and tell it as sent there", () => {
    const { facts } = read(
      handOver(alice, [token(1), 7], [token(4), 2]),
      mint(alice, token(2), 5),
      mint(alice, token(3), 5),
      burn([token(1), 5]),
      exchange(),
      sequenceEnds(1),
    )
    assert.deepStrictEqual(
      facts.flatMap((fact) => (fact.kind === "transfer" ? [[fact.sub, fact.sender, fact.receiver, fact.shares]] : [])),
      [
        [0, alice, module, 2],
        [1, alice, module, 2],
      ],
    )
    const changed = ["a1 11 -7", "a1 44 -2", "a1 22 5", "a1 33 5", "30 11 2", "30 44 2"]
    assert.deepStrictEqual(sharesAfter(facts), new Set(changed))
  })

  it("in a sequence keep what the module returns, and send what it returns to others", () => {
    const { facts } = read(
      handOver(alice, [token(1), 9]),
      mint(alice, token(2), 5),
      mint(alice, token(3), 5),
      burn([token(1), 5]),
      exchange(),
      move(module, module, alice, [token(1), 3]),
      move(module, module, bob, [token(1), 1]),
      sequenceEnds(1),
    )
    assert.deepStrictEqual(sharesAfter(facts), new Set(["a1 11 -6", "a1 22 5", "a1 33 5", "b0 11 1"]))
  })

  it("in a sequence do not count the burns of a conversion before it, whose log precedes them", () => {
    const { facts } = read(
      handOver(bob, [token(5), 5]),
      exchange({ isBeforeMoves: true }),
      mint(bob, token(6), 5),
      burn([token(5), 5]),
      handOver(alice, [token(1), 4]),
      mint(alice, token(2), 4),
      mint(alice, token(3), 4),
      burn([token(1), 4]),
      exchange(),
      sequenceEnds(1),
    )
    assert.deepStrictEqual(
      facts.map(({ kind, logIndex }) => [kind, logIndex]),
      [
        ["conversion", 1],
        ["conversion", 8],
      ],
    )
    assert.deepStrictEqual(sharesAfter(facts), new Set(["b0 55 -5", "b0 66 5", "a1 11 -4", "a1 22 4", "a1 33 4"]))
  })

  it("before a sequence are those of the wallets that gave up the tokens", () => {
    const { facts } = read(
      handOver(bob, [token(5), 3]),
      mint(bob, token(6), 3),
      burn([token(5), 3]),
      exchange(),
      mint(module, token(1), 4),
      mint(alice, token(1, 1), 4),
      split(token(1), [module, alice], 4),
      mint(alice, token(2), 4),
      burn([token(1), 4]),
      exchange(),
      sequenceEnds(2),
    )
    const changed = ["b0 55 -3", "b0 66 3", "a1 11 4", "a1 22 4"]
    assert.deepStrictEqual(sharesAfter(facts), new Set(changed))
    assert.isFalse(facts.some(({ kind }) => kind === "transfer"))
  })
})
