import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shares } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { mostShares } from "#src/upstream/chain/words.ts"
import type { PreparedBatch } from "./model.ts"
import type { Opening } from "./positions/OpeningStore.ts"
import type { PositionKeys } from "./positions/PositionStore.ts"

interface Pair {
  readonly id: { readonly wallet: number; readonly token: number }
  /** Digits without 0x. */
  readonly wallet: string
  readonly token: string
}

/** Pairs of a wallet and a token that have no position yet. */
const newPairs = (sql: SqlClient, keys: PositionKeys) => {
  const { wallets, tokens } = keys.columns()
  return Effect.map(
    sql<{ wallet_id: number; token_id: number; wallet: string; token: string }>`
      select w.wallet as wallet_id, w.token as token_id, encode(a.address, 'hex') as wallet, encode(t.hash, 'hex') as token
      from unnest(${pgArray("int4", wallets)}, ${pgArray("int4", tokens)}) w(wallet, token)
        join wallet a on a.id = w.wallet join token t on t.id = w.token
      where not exists (select from position p where p.wallet = w.wallet and p.token = w.token)`,
    (rows) =>
      rows.map(
        ({ wallet_id, token_id, wallet, token }): Pair => ({
          id: { wallet: wallet_id, token: token_id },
          wallet,
          token,
        }),
      ),
  )
}

/** Shares of these pairs at a block, without the pairs that hold none. Tokens of a worthless collateral may have any number. */
export const openingsOf = (pairs: ReadonlyArray<Pair>, balances: ReadonlyArray<bigint | undefined>) =>
  pairs.flatMap(({ id }, i): ReadonlyArray<Opening> => {
    const held = balances[i]
    const isKnown = held !== undefined && held <= mostShares
    return held === 0n ? [] : [{ ...id, shares: isKnown ? shares(Number(held)) : undefined }]
  })

/**
 * Adds to a batch what wallets held before it, for every pair of a wallet and a token that it is the first to touch. A
 * ledger that begins with the venue needs no node for this: nobody held anything.
 */
export const readOpenings = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const node = yield* ChainNode
  /** The newest block whose state the node had deleted: it has not kept that of earlier ones either. */
  let deletedUpTo = -1

  const balancesAt = (block: number, pairs: ReadonlyArray<Pair>) =>
    block <= deletedUpTo
      ? Effect.succeed(pairs.map(() => undefined))
      : node.balances(block, pairs).pipe(
          // One of several nodes behind the address may not have reached the block yet.
          Effect.retry({
            while: (failure) => failure._tag === "StateUnavailable" && !failure.isFinal,
            times: 2,
            schedule: Schedule.spaced("1 second"),
          }),
          Effect.catchTag("StateUnavailable", (failure) =>
            Effect.gen(function* () {
              yield* Effect.logWarning(`opening balances are unknown: ${failure.message}`)
              deletedUpTo = Math.max(deletedUpTo, block)
              return pairs.map(() => undefined)
            }),
          ),
        )

  return Effect.fnUntraced(function* (prepared: PreparedBatch) {
    const pairs = yield* newPairs(sql, prepared.touched)
    if (pairs.length === 0) return prepared
    const openings = openingsOf(pairs, yield* balancesAt(prepared.batch.first - 1, pairs))
    return { ...prepared, openings }
  })
})
