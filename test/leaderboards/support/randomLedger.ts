import { Effect } from "effect"
import { type Shares, shares, usdc } from "#src/domain/amounts.ts"
import type { ChainPosition, Fact } from "#src/domain/Fact.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Batch } from "#src/ledger/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import type { Dice } from "#src/simulator/random.ts"
import { address } from "#src/upstream/chain/contracts.ts"

const hex = (kind: number, n: number, digits = 64) =>
  `${kind.toString(16).padStart(2, "0")}${n.toString(16).padStart(digits - 2, "0")}`

const conditions = Array.from({ length: 6 }, (_, i) => ({
  condition: hex(1, i),
  tokens: [hex(2, 2 * i), hex(2, 2 * i + 1)] as const,
}))
type Pair = (typeof conditions)[number]
/** Produces the facts of a block and updates the resolved conditions. */
type Happening = (position: (logIndex: number) => ChainPosition, resolved: Set<string>) => ReadonlyArray<Fact>

/**
 * A random chain of a few wallets and markets, written by the ledger. Its facts need not be possible on a real chain: the
 * boards only add them up.
 */
export const randomLedger = Effect.fnUntraced(function* (dice: Dice, genesis: number, population = 5) {
  const wallets = Array.from({ length: population }, (_, i) => hex(3, i, 40))
  const store = yield* Ledger
  const lease = yield* (yield* Leases).seize("made-up")
  let forks = 0
  const chain: Array<{
    readonly number: number
    readonly hash: string
    readonly at: number
    readonly resolved: ReadonlySet<string>
  }> = []

  const resolutionAt = (position: ChainPosition, resolved: Set<string>, condition: string): Fact => {
    resolved.add(condition)
    const payouts = dice.pick([
      [1, 0],
      [0, 1],
      [1, 1],
    ])
    return { kind: "resolution", ...position, sub: 0, condition, payouts }
  }

  const fillAt = (position: ChainPosition, token: string, filled: Shares): Fact => ({
    kind: "fill",
    ...position,
    exchange: address.exchange3,
    orderHash: position.tx,
    maker: dice.pick(wallets),
    taker: undefined,
    side: dice.chance(0.6) ? "buy" : "sell",
    token,
    shares: filled,
    usd: usdc(dice.between(0, filled)),
    fee: usdc(dice.between(0, 1_000)),
    feeInShares: false,
    builder: undefined,
  })

  const factAt = (position: ChainPosition, resolved: Set<string>): Fact => {
    const wallet = dice.pick(wallets)
    const { condition, tokens } = dice.pick(conditions)
    const [token, amount] = [dice.pick(tokens), shares(dice.between(1, 5_000_000))]
    const roll = dice.between(1, 12)
    if (roll === 1 && !resolved.has(condition) && resolved.size < 4) return resolutionAt(position, resolved, condition)
    if (roll === 2)
      return {
        kind: "transfer",
        ...position,
        sub: 0,
        sender: wallet,
        receiver: dice.pick(wallets),
        token,
        shares: amount,
      }
    if (roll === 3) {
      return {
        kind: "redemption",
        ...position,
        wallet,
        condition,
        redeemed: [{ token, shares: amount }],
        payout: usdc(0),
      }
    }
    if (roll <= 6) return { kind: roll === 6 ? "merge" : "split", ...position, wallet, condition, tokens, amount }
    return fillAt(position, token, amount)
  }

  /** Appends a block that a reorganisation may replace, or a final one. */
  const appendWith = Effect.fnUntraced(function* (isUndoable: boolean, happening: Happening) {
    const last = chain.at(-1)
    const number = (last?.number ?? 99) + 1
    const at = (last?.at ?? genesis) + dice.between(1, 3) * 1_000
    const hash = hex(4, number * 1_000 + forks)
    const resolved = new Set(last?.resolved)
    const facts = happening(
      (logIndex) => ({ block: number, logIndex, at, tx: hex(5, number * 1_000_000 + forks * 1_000 + logIndex) }),
      resolved,
    )
    const batch: Batch = {
      first: number,
      last: { number, hash },
      head: number,
      blocks: [{ number, hash, parent: last?.hash ?? hex(4, 0), at, logs: facts.length }],
      facts,
      pairs: conditions,
      isUndoable,
      eventsSince: Number.POSITIVE_INFINITY,
      approvals: [],
      blockSummaries: new Map(),
    }
    yield* store.append(lease, yield* store.prepare(batch))
    chain.push({ number, hash, at, resolved })
  })

  const append = (isUndoable: boolean) =>
    appendWith(isUndoable, (position, resolved) =>
      Array.from({ length: dice.between(0, 3) }, (_, logIndex) => factAt(position(logIndex), resolved)),
    )

  /** All wallets get some of a condition's tokens, and one of these gets a new price. */
  const appendFillsForAll = ({ condition, tokens }: Pair) =>
    appendWith(true, (position) => [
      ...wallets.map((wallet, i): Fact => {
        const amount = shares(dice.between(1, 5_000_000))
        return { kind: "split", ...position(i), wallet, condition, tokens, amount }
      }),
      fillAt(position(population), dice.pick(tokens), shares(5_000_000)),
    ])

  const appendResolution = ({ condition }: Pair) =>
    appendWith(true, (position, resolved) =>
      resolved.has(condition) ? [] : [resolutionAt(position(0), resolved, condition)],
    )

  /** Rolls back the last blocks. */
  const rollback = Effect.fnUntraced(function* (blocks: number) {
    chain.length -= blocks
    forks += 1
    const fork = chain.at(-1)
    if (fork !== undefined) yield* store.rollback(lease, fork)
  })

  return {
    append,
    appendFillsForAll,
    appendResolution,
    rollback,
    conditions,
    /** The newest block. */
    head: () => chain.at(-1)?.number ?? 0,
    settleBefore: (block: number) => store.deleteUndoBefore(lease, block),
  }
})
