import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { holdingsAfter } from "./HoldingStore.ts"
import * as SeedStore from "./SeedStore.ts"

/** Positions per transaction. */
const pageSize = 1_000

/**
 * Copies the positions of a followed wallet as they were when that began. Meanwhile the poller reads those that it needs
 * from the ledger, so nothing waits for the copy. Safe to repeat and to run concurrently.
 */
export const seedWallet = Effect.fn("PositionStatusChange.seedWallet")(function* (address: string) {
  const { sql, reads, tx } = yield* Postgres
  let after = 0
  for (;;) {
    const wallet = yield* SeedStore.findUnseeded(reads, address)
    if (wallet === undefined) return
    const page = yield* SeedStore.positionsOf(reads, wallet.id, after, pageSize)
    const wanted = page.map((pair) => ({ ...pair, since: wallet.block }))
    const held = page.length === 0 ? [] : yield* holdingsAfter(reads, wanted)
    const isLast = page.length < pageSize
    const isSaved = yield* tx(SeedStore.saveSeed(sql, address, wallet, { held, isLast }))
    // From the first one again if a reorganisation has moved the block.
    after = isSaved ? (page.at(-1)?.token ?? after) : 0
  }
})
