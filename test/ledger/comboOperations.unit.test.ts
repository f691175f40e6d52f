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

  it("count only what leaves and reaches wallets in a sequence whose steps pass through the module", () => {
    const merged: ChainEvent = {
      _tag: "ModuleMerge",
      module,
      initiator: address.router,
      condition: token(1),
      recipient: alice,
      amount: shares(6),
    }
    const { facts } = read(
      handOver(alice, [token(1), 7], [token(2), 6], [token(3), 6]),
      mint(module, token(1, 1), 6),
      burn([token(2), 6], [token(3), 6]),
      exchange(),
      mint(bob, token(4), 2),
      burn([token(1), 6], [token(1, 1), 6]),
      merged,
      { _tag: "CombosReturned", wallet: alice },
    )
    assert.deepStrictEqual(
      facts.map((fact) => (fact.kind === "stock_change" ? [fact.sub, fact.shares, fact.paid] : fact.kind)),
      [
        [0, -7, 2],
        [1, -6, 2],
        [2, -6, 2],
        [3, 2, 0],
      ],
    )
    assert.deepStrictEqual(sharesAfter(facts), new Set(["a1 11 -7", "a1 22 -6", "a1 33 -6", "b0 44 2"]))
  })
})
