import { Effect, Random } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import * as BalancesStore from "./BalancesStore.ts"

/** Ids have gaps, and several draws may lead to the same wallet. */
const drawsPerWallet = 4

/** Wallets with positions: half of them with recent changes, as far as there are any, the others from all. */
export const sampleWallets = Effect.fnUntraced(function* (sql: SqlClient, count: number) {
  const range = yield* BalancesStore.walletRange(sql)
  if (range === undefined) return []
  const seed = yield* Random.nextInt
  const recent = yield* BalancesStore.recentWallets(sql, seed, Math.ceil(count / 2))
  const ids = yield* Effect.replicateEffect(Random.nextIntBetween(range.lowest, range.highest), count * drawsPerWallet)
  return [...new Set([...recent, ...(yield* BalancesStore.walletsFrom(sql, ids))])].slice(0, count)
})
