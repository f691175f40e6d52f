import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import * as BooksStore from "./BooksStore.ts"
import type { Baseline, PriceMove, StoredBaseline } from "./PriceMoves.ts"

/** Stored baselines of price changes. */
export class Baselines extends Context.Service<
  Baselines,
  {
    readonly load: (tokens: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredBaseline>, SqlError>
    /** Stores the baselines and appends the price changes to the event log. */
    readonly announce: (
      lease: Lease,
      moves: ReadonlyArray<PriceMove>,
      first: ReadonlyArray<Baseline>,
    ) => Effect.Effect<void, TxError | LeaseLost>
    readonly delete: (lease: Lease, tokens: ReadonlyArray<string>) => Effect.Effect<void, TxError | LeaseLost>
  }
>()("presage/books/Baselines") {
  static readonly layer = Layer.effect(
    Baselines,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const dictionary = yield* Dictionary
      const log = yield* EventLog
      const idLookup = (tokens: ReadonlyArray<string>) =>
        Effect.map(
          dictionary.tokens(tokens.map(BooksStore.hashOf)),
          (ids) => (token: string) => ids.get(BooksStore.hashOf(token)) as number,
        )

      return Baselines.of({
        load: Effect.fn("Baselines.load")((tokens) => BooksStore.baselines(reads, tokens)),

        announce: Effect.fn("Baselines.announce")(function* (lease, moves, first) {
          const baselines = [...first, ...moves.map(({ token, mid }) => ({ token, mid }))]
          const idOf = yield* idLookup(baselines.map(({ token }) => token))
          yield* lease.tx(
            Effect.gen(function* () {
              yield* BooksStore.writeBaselines(
                sql,
                baselines.map(({ token, mid }) => ({ token: idOf(token), mid })),
              )
              yield* log.append(
                moves.map(({ token, bid, ask, mid, previous }) => ({
                  kind: "price_change",
                  ref: BigInt(idOf(token)),
                  data: { token, bid, ask, mid, previous },
                })),
              )
            }),
          )
        }),

        delete: Effect.fn("Baselines.delete")(function* (lease, tokens) {
          const idOf = yield* idLookup(tokens)
          yield* lease.tx(BooksStore.deleteBaselines(sql, tokens.map(idOf)))
        }),
      })
    }),
  )
}
