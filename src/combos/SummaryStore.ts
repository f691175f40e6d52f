import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { comboKinds } from "#src/domain/ComboKind.ts"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { walletCombos } from "#src/positions/walletCombos.ts"

export interface ComboSummary {
  /** Tokens of combos that the wallet holds now, resolved ones too. */
  readonly balances: number
  /** Undefined if it never did anything with a combo. */
  readonly lastAt: Date | undefined
}

/** What a wallet has of combos, beside its sums. */
export const readSummary = Effect.fnUntraced(function* (sql: SqlClient, address: string) {
  const [wallet] = yield* sql<{ id: number }>`select id from wallet where address = ${bytesOfWallet(address)}`
  if (wallet === undefined) return { balances: 0, lastAt: undefined } satisfies ComboSummary
  const tokens = yield* walletCombos(sql, wallet.id)
  const [row] = yield* sql<{ balances: number; last_at: Date | null }>`
    select (
        select count(*)::int from position
        where wallet = ${wallet.id} and token = any(${pgArray("int4", tokens)}) and shares > 0) as balances,
      (
        select max(newest.at) from generate_series(0, ${comboKinds.length - 1}::int) k(kind)
        cross join lateral (
          select a.at from combo_act a where a.wallet = ${wallet.id} and a.kind = k.kind and a.is_main
          order by a.at desc limit 1) newest) as last_at`
  const summary: ComboSummary = { balances: row?.balances ?? 0, lastAt: row?.last_at ?? undefined }
  return summary
})
