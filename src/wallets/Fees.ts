import { Context, Duration, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { growingCache } from "#src/platform/growingCache.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { addFees, type FeeSums, newestFinal, noFees, secondBehind, sumFees } from "./FeeStore.ts"
import { fillsPerAnswer } from "./settings.ts"

/** Wallets whose sums a process keeps. */
const keptWallets = 10_000
/** Facts of older blocks may be added by a repair. */
const validFor = Duration.toMillis("1 hour")

/** Sums up to a second that no reorganisation reaches. */
interface Kept {
  readonly sums: FeeSums
  readonly until: number
  /** First block of the facts. */
  readonly from: number
  readonly madeAt: number
}

export interface WalletFees {
  /** Undefined until they have been added up. */
  readonly sums: FeeSums | undefined
  /** The newest block that they contain. */
  readonly block: number
}

/**
 * Fees that wallets paid. The sums of busy wallets are kept in memory and continued, because a wallet may have millions of
 * fills.
 */
export class Fees extends Context.Service<
  Fees,
  { readonly of: (wallet: number | undefined) => Effect.Effect<WalletFees, SqlError> }
>()("presage/wallets/Fees") {
  static readonly layer = Layer.effect(
    Fees,
    Effect.gen(function* () {
      const { sql, reads, exports } = yield* Postgres
      const config = yield* Configuration
      const depth = config.get(reorgDepth)
      const scope = yield* Effect.scope
      const oneAtATime = yield* Semaphore.make(1)
      const kept = growingCache<number, Kept>(keptWallets)
      const loading = new Set<number>()

      /** Adds finalized fills up, some at a time. */
      const load = Effect.fnUntraced(function* (wallet: number, begin: Kept) {
        let entry = begin
        const most = config.get(fillsPerAnswer)
        const final = yield* newestFinal(exports, depth)
        while (entry.until < final.at) {
          const behind = (yield* secondBehind(exports, wallet, entry.until, final.at, most)) ?? final.at
          const until = Math.min(final.at, behind)
          entry = { ...entry, sums: addFees(entry.sums, yield* sumFees(exports, wallet, entry.until, until)), until }
        }
        kept.set(wallet, entry)
      })

      const loadLater = (wallet: number, begin: Kept) =>
        Effect.suspend(() => {
          if (loading.has(wallet)) return Effect.void
          loading.add(wallet)
          return oneAtATime.withPermit(load(wallet, begin)).pipe(
            Effect.catch((error) => Effect.logWarning("fees of a wallet", error)),
            Effect.ensuring(Effect.sync(() => loading.delete(wallet))),
            Effect.forkIn(scope),
            Effect.asVoid,
          )
        })

      return Fees.of({
        of: Effect.fn("Fees.of")(function* (wallet: number | undefined) {
          const final = yield* newestFinal(reads, depth)
          const { block } = final
          if (wallet === undefined) return { sums: noFees, block }
          const from = (yield* CoverageStore.read(reads))?.facts.block ?? 0
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const found = kept.get(wallet)
          const isValid = found !== undefined && found.from === from && now - found.madeAt < validFor
          const entry = isValid ? found : { sums: noFees, until: 0, from, madeAt: now }
          const most = config.get(fillsPerAnswer)
          const isMuch = (yield* secondBehind(reads, wallet, entry.until, final.at, most)) !== undefined
          if (isMuch) {
            yield* loadLater(wallet, entry)
            return { sums: undefined, block }
          }
          const rest = yield* sumFees(sql, wallet, entry.until, 2_147_483_647)
          if (rest.fills > most / 10) yield* loadLater(wallet, entry)
          return { sums: addFees(entry.sums, rest), block }
        }),
      })
    }),
  )
}
