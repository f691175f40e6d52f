import { Context, Effect, Layer } from "effect"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { type HistoryIncomplete, historyGuard } from "#src/ledger/historyIsComplete.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { noSums, type PnlSums, type Summaries } from "./model.ts"
import { readSums } from "./SumsStore.ts"

type NoPnl = HistoryIncomplete | TxError

/**
 * What wallets earned, as of the newest block. Addresses are in lower case; a wallet that the chain has never mentioned has
 * zeros. Available once the history is complete.
 */
export class WalletPnl extends Context.Service<
  WalletPnl,
  {
    /** In the given order. */
    readonly summaries: (addresses: ReadonlyArray<string>) => Effect.Effect<Summaries, NoPnl>
    /** With the part that comes from combos. */
    readonly withCombos: (address: string) => Effect.Effect<Summaries & { readonly combos: PnlSums }, NoPnl>
  }
>()("presage/wallets/WalletPnl") {
  static readonly layer = Layer.effect(
    WalletPnl,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const historyIsIn = historyGuard(reads)

      /** Undefined for unknown ones. */
      const numbersOf = Effect.fnUntraced(function* (addresses: ReadonlyArray<string>) {
        yield* historyIsIn
        const rows = yield* reads<{ id: number; address: string }>`
          select id, '0x' || encode(address, 'hex') as address from wallet
          where address = any(${pgArray("bytea", addresses, bytesOfWallet)})`
        const numbers = new Map(rows.map(({ id, address }) => [address, id]))
        return addresses.map((address) => numbers.get(address))
      })

      return WalletPnl.of({
        summaries: Effect.fn("WalletPnl.summaries")(function* (addresses: ReadonlyArray<string>) {
          return yield* readSums(sql, yield* numbersOf(addresses), { kind: "everything" })
        }),
        withCombos: Effect.fn("WalletPnl.withCombos")(function* (address: string) {
          const numbers = yield* numbersOf([address])
          return yield* readSnapshot(
            sql,
            Effect.gen(function* () {
              const summaries = yield* readSums(sql, numbers, { kind: "everything" })
              const { sums } = yield* readSums(sql, numbers, { kind: "combos" })
              return { ...summaries, combos: sums[0] ?? noSums }
            }),
          )
        }),
      })
    }),
  )
}
