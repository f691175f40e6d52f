import { Effect } from "effect"
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
/** What happens in a block, and what it leaves resolved. */
type Happening = (place: (logIndex: number) => ChainPosition, resolved: Set<string>) => ReadonlyArray<Fact>

/**
 * A chain of a few wallets and markets, written by the ledger's own writer. Whether what happens is possible on a real one
 * does not matter to who adds it up.
 */
export const madeUpLedger = Effect.fnUntraced(function* (dice: Dice, genesis: number, population = 5) {
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

  const resolutionAt = (place: ChainPosition, resolved: Set<string>, condition: string): Fact => {
    resolved.add(condition)
    const payouts = dice.pick([
      [1, 0],
      [0, 1],
      [1, 1],
    ])
    return { kind: "resolution", ...place, condition, payouts }
  }

  const fillAt = (place: ChainPosition, token: string, shares: number): Fact => ({
    kind: "fill",
    ...place,
    exchange: address.exchange3,
    orderHash: place.tx,
    maker: dice.pick(wallets),
    taker: undefined,
    side: dice.chance(0.6) ? "buy" : "sell",
    token,
    shares,
    usd: dice.between(0, shares),
    fee: dice.between(0, 1_000),
    feeInShares: false,
    builder: undefined,
  })

  const factAt = (place: ChainPosition, resolved: Set<string>): Fact => {
    const wallet = dice.pick(wallets)
    const { condition, tokens } = dice.pick(conditions)
    const [token, amount] = [dice.pick(tokens), dice.between(1, 5_000_000)]
    const roll = dice.between(1, 12)
    if (roll === 1 && !resolved.has(condition) && resolved.size < 4) return resolutionAt(place, resolved, condition)
    if (roll === 2)
      return { kind: "transfer", ...place, sub: 0, sender: wallet, receiver: dice.pick(wallets), token, shares: amount }
    if (roll === 3) {
      return { kind: "redemption", ...place, wallet, condition, redeemed: [{ token, shares: amount }], payout: 0 }
    }
    if (roll <= 6) return { kind: roll === 6 ? "merge" : "split", ...place, wallet, condition, tokens, amount }
    return fillAt(place, token, amount)
  }

  /** The next block, which may still be replaced or not. */
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
      blockSummaries: new Map(),
    }
    yield* store.append(lease, yield* store.prepare(batch))
    chain.push({ number, hash, at, resolved })
  })

  const append = (isUndoable: boolean) =>
    appendWith(isUndoable, (place, resolved) =>
      Array.from({ length: dice.between(0, 3) }, (_, logIndex) => factAt(place(logIndex), resolved)),
    )

  /** Everybody gets some of a condition's tokens, and one of these another price. */
  const appendRush = ({ condition, tokens }: Pair) =>
    appendWith(true, (place) => [
      ...wallets.map((wallet, i): Fact => {
        const amount = dice.between(1, 5_000_000)
        return { kind: "split", ...place(i), wallet, condition, tokens, amount }
      }),
      fillAt(place(population), dice.pick(tokens), 5_000_000),
    ])

  const appendResolution = ({ condition }: Pair) =>
    appendWith(true, (place, resolved) =>
      resolved.has(condition) ? [] : [resolutionAt(place(0), resolved, condition)],
    )

  /** Takes back the last blocks. */
  const rollback = Effect.fnUntraced(function* (blocks: number) {
    chain.length -= blocks
    forks += 1
    const fork = chain.at(-1)
    if (fork !== undefined) yield* store.rollback(lease, fork)
  })

  return {
    append,
    appendRush,
    appendResolution,
    rollback,
    conditions,
    /** The newest block. */
    head: () => chain.at(-1)?.number ?? 0,
    settleBefore: (block: number) => store.deleteUndoBefore(lease, block),
  }
})
