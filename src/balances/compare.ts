import { Effect, Random, Schedule } from "effect"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import * as BalancesStore from "./BalancesStore.ts"
import { type Comparison, type Difference, NotComparable } from "./model.ts"
import { sampleWallets } from "./sampleWallets.ts"

/** Market makers have many thousands. */
const positionsPerWallet = 250

const absentPerWallet = 25

/** Fails until the ledger has reached the newest block. Returns whether it knows every transfer of the venue up to it. */
const requireCurrentLedger = Effect.gen(function* () {
  const { exports: sql } = yield* Postgres
  const state = yield* BalancesStore.readState(sql)
  if (state?.caught_up !== true) return yield* new NotComparable({ detail: "the ledger is still reading history" })
  return state.complete
})

interface Found {
  readonly key: BalancesStore.PositionKey
  readonly difference: Difference
}

/** Compares these balances at the ledger's block. */
const compareOnce = Effect.fnUntraced(
  function* (keys: ReadonlyArray<BalancesStore.PositionKey>) {
    const { exports: sql } = yield* Postgres
    const node = yield* ChainNode
    const own = yield* BalancesStore.readBalances(sql, keys)
    if (own === undefined) return yield* new NotComparable({ detail: "the ledger is empty" })
    const balances = yield* node.balances(own.block, own.balances)
    const header = yield* node.header(own.block)
    if (header?.hash !== own.hash) {
      return yield* new NotComparable({ detail: `block ${own.block} of the ledger is not the node's` })
    }
    const found = own.balances.flatMap(({ key, wallet, token, shares }, i): ReadonlyArray<Found> => {
      const balance = balances[i] ?? 0n
      if (balance === shares) return []
      const difference = { wallet: `0x${wallet}`, token_id: tokenOfHex(token), ledger: `${shares}`, node: `${balance}` }
      return [{ key, difference }]
    })
    return { block: own.block, found }
  },
  // One address may serve several nodes, some of which lack the newest block, which may also be replaced meanwhile.
  Effect.retry({
    while: (failure) => failure._tag === "NotComparable" || failure._tag === "StateUnavailable",
    times: 2,
    schedule: Schedule.spaced("1 second"),
  }),
)

/**
 * Compares the positions of some wallets, and some that they do not have, with their balances on the node. A difference counts if it is still there on a
 * second comparison, at the block that the ledger has reached by then.
 */
export const compareBalances = Effect.fn("compareBalances")(function* (count: number) {
  const isComplete = yield* requireCurrentLedger
  const { exports: sql } = yield* Postgres
  const wallets = yield* sampleWallets(sql, count)
  const seed = yield* Random.nextInt
  const held = yield* BalancesStore.positionsOf(sql, wallets, seed, positionsPerWallet)
  if (held.length === 0) return yield* new NotComparable({ detail: "the ledger has no positions" })
  // A ledger that began late knows nothing of tokens that were not moved since.
  const absent = isComplete ? yield* BalancesStore.absentPositionsOf(sql, wallets, seed, absentPerWallet) : []
  const keys = [...held, ...absent]
  const first = yield* compareOnce(keys)
  const last = first.found.length === 0 ? first : yield* compareOnce(first.found.map(({ key }) => key))
  const comparison: Comparison = {
    block: last.block,
    wallets: wallets.length,
    compared: keys.length,
    differences: last.found.map(({ difference }) => difference),
  }
  return comparison
})
