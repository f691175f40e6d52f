import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { type HistoryIncomplete, historyGuard } from "#src/ledger/historyIsComplete.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { closedPositionStore } from "./ClosedPositionStore.ts"
import type { ClosedQuery } from "./closedQuery.ts"
import { type OnchainPage, type OnchainQuery, onchainPositionStore } from "./OnchainPositionStore.ts"
import { namesIn } from "./PositionFilter.ts"
import type { ShownPosition } from "./ShownPosition.ts"
import type { WalletPage, WalletQuery } from "./wallet/model.ts"
import { walletPositionStore } from "./wallet/WalletPositionStore.ts"

/** The chain has never mentioned this address. */
export class UnknownWallet extends Schema.TaggedError<UnknownWallet>()("UnknownWallet", { address: Schema.String }) {}

type NoPositions = UnknownName | HistoryIncomplete | SqlError

/**
 * Lists of positions, available once the history is complete. Addresses are in lower case. A filter that names something
 * unknown fails; names are looked up only where nothing was found.
 */
export class PositionLists extends Context.Service<
  PositionLists,
  {
    readonly closed: (
      address: string,
      query: Omit<ClosedQuery, "wallet">,
    ) => Effect.Effect<ReadonlyArray<ShownPosition>, UnknownWallet | NoPositions>
    readonly ofWallet: (
      address: string,
      query: Omit<WalletQuery, "wallet">,
    ) => Effect.Effect<WalletPage, UnknownWallet | NoPositions>
    readonly page: (query: OnchainQuery) => Effect.Effect<OnchainPage, NoPositions>
  }
>()("presage/positions/PositionLists") {
  static readonly layer = Layer.effect(
    PositionLists,
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const closed = closedPositionStore(postgres)
      const ofWallet = walletPositionStore(postgres)
      const page = onchainPositionStore(postgres)
      const names = nameStore(postgres.reads)
      const historyIsIn = historyGuard(postgres.reads)
      const numberOf = Effect.fnUntraced(function* (address: string) {
        yield* historyIsIn
        const [found] = yield* postgres.reads<{ id: number }>`
          select id from wallet where address = ${bytesOfWallet(address)}`
        return found === undefined ? yield* new UnknownWallet({ address }) : found.id
      })
      return PositionLists.of({
        closed: Effect.fn("PositionLists.closed")((address, query) =>
          Effect.flatMap(numberOf(address), (wallet) => closed({ wallet, ...query })).pipe(
            Effect.tap(({ length }) => (length > 0 ? Effect.void : names.check(namesIn({ marketSlug: query.market })))),
          ),
        ),
        ofWallet: Effect.fn("PositionLists.ofWallet")((address, query) =>
          Effect.flatMap(numberOf(address), (wallet) => ofWallet({ wallet, ...query })).pipe(
            Effect.tap(({ totals }) => (totals.positions > 0 ? Effect.void : names.check(namesIn(query.filter)))),
          ),
        ),
        page: Effect.fn("PositionLists.page")((query) =>
          Effect.andThen(historyIsIn, page(query)).pipe(
            Effect.tap(({ shown, next }) =>
              shown.length > 0 || next !== undefined ? Effect.void : names.check(namesIn(query.filter)),
            ),
          ),
        ),
      })
    }),
  )
}
