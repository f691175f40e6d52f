import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { type HistoryIncomplete, historyGuard } from "#src/ledger/historyIsComplete.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type ClosedQuery, closedPositionStore } from "./ClosedPositionStore.ts"
import { type OnchainPage, type OnchainQuery, onchainPositionStore } from "./OnchainPositionStore.ts"
import type { ShownPosition } from "./ShownPosition.ts"
import { type WalletPage, type WalletQuery, walletPositionStore } from "./WalletPositionStore.ts"

/** The chain has never mentioned this address. */
export class UnknownWallet extends Schema.TaggedError<UnknownWallet>()("UnknownWallet", { address: Schema.String }) {}

/** Lists of positions, available once the history is complete. Addresses are in lower case. */
export class PositionLists extends Context.Service<
  PositionLists,
  {
    readonly closed: (
      address: string,
      query: Omit<ClosedQuery, "wallet">,
    ) => Effect.Effect<ReadonlyArray<ShownPosition>, UnknownWallet | HistoryIncomplete | SqlError>
    readonly ofWallet: (
      address: string,
      query: Omit<WalletQuery, "wallet">,
    ) => Effect.Effect<WalletPage, UnknownWallet | HistoryIncomplete | SqlError>
    readonly page: (query: OnchainQuery) => Effect.Effect<OnchainPage, HistoryIncomplete | SqlError>
  }
>()("presage/positions/PositionLists") {
  static readonly layer = Layer.effect(
    PositionLists,
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const closed = closedPositionStore(postgres)
      const ofWallet = walletPositionStore(postgres)
      const page = onchainPositionStore(postgres)
      const historyIsIn = historyGuard(postgres.reads)
      const numberOf = Effect.fnUntraced(function* (address: string) {
        yield* historyIsIn
        const [found] = yield* postgres.reads<{ id: number }>`
          select id from wallet where address = ${bytesOfWallet(address)}`
        return found === undefined ? yield* new UnknownWallet({ address }) : found.id
      })
      return PositionLists.of({
        closed: (address, query) => Effect.flatMap(numberOf(address), (wallet) => closed({ wallet, ...query })),
        ofWallet: (address, query) => Effect.flatMap(numberOf(address), (wallet) => ofWallet({ wallet, ...query })),
        page: (query) => Effect.andThen(historyIsIn, page(query)),
      })
    }),
  )
}
