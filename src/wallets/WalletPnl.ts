import { Context, Effect, Layer } from "effect"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { bytesOfWallet, type Wallet } from "#src/domain/Wallet.ts"
import { lockReplaceable } from "#src/leaderboards/replace.ts"
import { type HistoryIncomplete, historyGuard } from "#src/ledger/historyIsComplete.ts"
import { type MakerPayments, paymentsOf } from "#src/ledger/PaymentStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { noSums, type PnlSums, type Summaries } from "#src/positions/sums/model.ts"
import { walletSums } from "#src/positions/sums/walletSums.ts"
import { walletCombos } from "#src/positions/walletCombos.ts"
import { explain } from "./explain/explain.ts"
import type { ChainChanged, Continuation, Explanation, TooManyFacts } from "./explain/model.ts"
import { Fees, type WalletFees } from "./Fees.ts"
import type { Buckets, Granularity, PnlWindow } from "./model.ts"
import { openAt } from "./OpenStore.ts"
import { readBuckets, readWindow, type WindowSums } from "./RealizedStore.ts"
import { type PnlScope, pnlScopes } from "./scope.ts"

type NoPnl = HistoryIncomplete | TxError
type NoScope = UnknownName | ConflictingFilters

/** All-time sums, and the part of them that comes from combos. */
export interface WithCombos extends Summaries {
  readonly combos: PnlSums | undefined
}

/** What was realized in a window, and the sums of now if they are wanted. */
export interface WindowPnl extends WindowSums {
  /** Positions of known cost that were open at its end; undefined if that is unknown or would take too long. */
  readonly openAtEnd: number | undefined
  readonly now: PnlSums | undefined
  readonly combos: { readonly realized: bigint; readonly now: PnlSums } | undefined
}

export interface BucketPnl extends Buckets {
  /** Of all time; undefined for a shorter window. */
  readonly now: PnlSums | undefined
}

export interface Accounting {
  readonly fees: WalletFees
  readonly payments: MakerPayments
}

/** The first second behind a window; undefined if that is yet to come. */
const endOf = ({ span: { before }, asOf }: WindowSums) =>
  before === undefined || before * 1000 > (asOf?.at.getTime() ?? 0) ? undefined : before

interface PnlRequest {
  readonly address: Wallet
  readonly scope: PnlScope
  readonly withCombos: boolean
}

/**
 * What wallets earned, as of the newest block. Addresses are in lower case; a wallet that the chain has never mentioned has
 * zeros. Available once the history is complete. A scope that does not exist fails.
 */
export class WalletPnl extends Context.Service<
  WalletPnl,
  {
    /** In the given order. */
    readonly summaries: (addresses: ReadonlyArray<Wallet>) => Effect.Effect<Summaries, NoPnl>
    /** What comes from combos. */
    readonly combos: (address: Wallet) => Effect.Effect<Summaries, NoPnl>
    readonly allTime: (request: PnlRequest) => Effect.Effect<WithCombos, NoPnl | NoScope>
    readonly window: (
      request: PnlRequest & { readonly window: PnlWindow; readonly withNow: boolean },
    ) => Effect.Effect<WindowPnl, NoPnl | NoScope>
    readonly buckets: (asked: {
      readonly address: Wallet
      readonly window: PnlWindow
      readonly group: Granularity
      readonly limit: number
    }) => Effect.Effect<BucketPnl, NoPnl>
    /** What a wallet paid in fees and received as a maker; part of no P&L. */
    readonly accounting: (address: Wallet) => Effect.Effect<Accounting, NoPnl>
    /** The facts that made the positions of a scope, oldest first. */
    readonly explain: (asked: {
      readonly address: Wallet
      readonly scope: PnlScope
      readonly limit: number
      readonly behind: Continuation | undefined
    }) => Effect.Effect<Explanation, NoPnl | NoScope | TooManyFacts | ChainChanged>
  }
>()("presage/wallets/WalletPnl") {
  static readonly layer = Layer.effect(
    WalletPnl,
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const { sql, reads } = postgres
      const historyIsIn = historyGuard(reads)
      const scopes = pnlScopes(postgres)
      const readSums = walletSums(sql)
      const fees = yield* Fees
      /** Reads from one snapshot, which is taken when the boards cannot be replaced anymore. */
      const atOnce = <A, E>(read: Effect.Effect<A, E>) =>
        readSnapshot(sql, Effect.andThen(lockReplaceable(sql, "access share"), read))

      /** Undefined for unknown ones. */
      const numbersOf = Effect.fnUntraced(function* (addresses: ReadonlyArray<Wallet>) {
        yield* historyIsIn
        const rows = yield* reads<{ id: number; address: string }>`
          select id, '0x' || encode(address, 'hex') as address from wallet
          where address = any(${pgArray("bytea", addresses, bytesOfWallet)})`
        const numbers = new Map(rows.map(({ id, address }) => [address, id]))
        return addresses.map((address) => numbers.get(address))
      })

      const combosIn = (wallet: number | undefined) =>
        Effect.map(
          wallet === undefined ? Effect.succeed([]) : walletCombos(sql, wallet),
          (tokens) => ({ kind: "tokens", tokens }) as const,
        )
      const combosOf = Effect.fnUntraced(function* (numbers: ReadonlyArray<number | undefined>) {
        const { sums } = yield* readSums(numbers, yield* combosIn(numbers[0]))
        return sums[0] ?? noSums
      })

      return WalletPnl.of({
        summaries: Effect.fn("WalletPnl.summaries")(function* (addresses: ReadonlyArray<Wallet>) {
          return yield* readSums(yield* numbersOf(addresses), { kind: "everything" })
        }),

        combos: Effect.fn("WalletPnl.combos")(function* (address: Wallet) {
          const numbers = yield* numbersOf([address])
          return yield* readSums(numbers, yield* combosIn(numbers[0]))
        }),

        allTime: Effect.fn("WalletPnl.allTime")(function* ({ address, scope, withCombos }) {
          const numbers = yield* numbersOf([address])
          const within = yield* scopes.find(scope)
          const read = Effect.gen(function* () {
            const found = yield* readSums(numbers, within)
            return { ...found, combos: withCombos ? yield* combosOf(numbers) : undefined }
          })
          const found = yield* withCombos ? atOnce(read) : read
          if (found.sums[0]?.positions === 0) yield* scopes.check(within)
          return found
        }),

        window: Effect.fn("WalletPnl.window")(function* ({ address, scope, window, withNow, withCombos }) {
          const numbers = yield* numbersOf([address])
          const within = yield* scopes.find(scope)
          const combos = Effect.gen(function* () {
            const { sums } = yield* readWindow(sql, numbers[0], yield* combosIn(numbers[0]), window)
            return { realized: sums.realized, now: yield* combosOf(numbers) }
          })
          const read = Effect.gen(function* () {
            const found = yield* readWindow(sql, numbers[0], within, window)
            const openAtEnd = yield* openAt(sql, numbers[0], within, endOf(found))
            const now = withNow ? (yield* readSums(numbers, within)).sums[0] : undefined
            return { ...found, openAtEnd, now, combos: withCombos ? yield* combos : undefined }
          })
          const found = yield* atOnce(read)
          if (found.sums.events === 0) yield* scopes.check(within)
          return found
        }),

        buckets: Effect.fn("WalletPnl.buckets")(function* ({ address, window, ...wanted }) {
          const numbers = yield* numbersOf([address])
          const read = readBuckets(sql, numbers[0], window, wanted)
          if (window.kind !== "all") return { ...(yield* read), now: undefined }
          return yield* atOnce(
            Effect.gen(function* () {
              return { ...(yield* read), now: (yield* readSums(numbers, { kind: "everything" })).sums[0] }
            }),
          )
        }),

        accounting: Effect.fn("WalletPnl.accounting")(function* (address: Wallet) {
          const [wallet] = yield* numbersOf([address])
          return { fees: yield* fees.of(wallet), payments: yield* paymentsOf(reads, wallet) }
        }),

        explain: Effect.fn("WalletPnl.explain")(function* ({ address, scope, limit, behind }) {
          const [wallet] = yield* numbersOf([address])
          const within = yield* scopes.find(scope)
          const tokens = within.kind === "tokens" ? within.tokens : []
          return yield* readSnapshot(sql, explain(sql, wallet, tokens, limit, behind))
        }),
      })
    }),
  ).pipe(Layer.provide(Fees.layer))
}
