import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import type { Baseline, StoredBaseline, PriceMove } from "./PriceMoves.ts"

const upsert = bulkInsert<{ token: number; mid: number }>({
  table: "book_baseline",
  columns: { token: "int4", mid: "int4" },
  suffix: "on conflict (token) do update set mid = excluded.mid, set_at = now()",
})

const nameOf = (token: string) => BigInt(token).toString(16).padStart(64, "0")
const tokenOf = (name: string) => BigInt(`0x${name}`).toString()

/** Everything that is written and read in Postgres about books. */
export class BooksStore extends Context.Service<
  BooksStore,
  {
    /** Both tokens of the open markets that were traded most in the last 24 hours. */
    readonly top: (markets: number) => Effect.Effect<ReadonlyArray<string>, SqlError>
    readonly baselines: (tokens: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredBaseline>, SqlError>
    /** Sets where the next price changes are measured from, and announces those that took place. */
    readonly announce: (
      lease: Lease,
      moves: ReadonlyArray<PriceMove>,
      first: ReadonlyArray<Baseline>,
    ) => Effect.Effect<void, TxError | LeaseLost>
    readonly forget: (lease: Lease, tokens: ReadonlyArray<string>) => Effect.Effect<void, TxError | LeaseLost>
  }
>()("presage/books/BooksStore") {
  static readonly layer = Layer.effect(
    BooksStore,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const dictionary = yield* Dictionary
      const log = yield* EventLog
      const idLookup = (tokens: ReadonlyArray<string>) =>
        Effect.map(
          dictionary.tokens(tokens.map(nameOf)),
          (ids) => (token: string) => ids.get(nameOf(token)) as number,
        )

      return BooksStore.of({
        top: (markets) =>
          Effect.map(
            reads<{ name: string }>`
              select encode(t.hash, 'hex') as name
              from (
                select tokens from market
                where not closed and not archived and accepting_orders
                order by volume_day desc nulls last limit ${markets}
              ) m
              cross join lateral jsonb_array_elements_text(m.tokens) e(id)
              join token t on t.id = e.id::int`,
            (rows) => rows.map(({ name }) => tokenOf(name)),
          ),

        baselines: (tokens) =>
          Effect.map(
            reads<{ name: string; mid: number; set_at: Date }>`
              select n.name, b.mid, b.set_at from unnest(${tokens.map(nameOf)}::text[]) n(name)
              join token t on t.hash = decode(n.name, 'hex') join book_baseline b on b.token = t.id`,
            (rows) => rows.map(({ name, mid, set_at }) => ({ token: tokenOf(name), mid, setAt: set_at.getTime() })),
          ),

        announce: (lease, moves, first) =>
          Effect.gen(function* () {
            const baselines = [...first, ...moves.map(({ token, mid }) => ({ token, mid }))]
            const idOf = yield* idLookup(baselines.map(({ token }) => token))
            yield* lease.tx(
              Effect.gen(function* () {
                yield* upsert(
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

        forget: (lease, tokens) =>
          Effect.gen(function* () {
            const idOf = yield* idLookup(tokens)
            yield* lease.tx(sql`delete from book_baseline where token = any(${tokens.map(idOf)}::int[])`)
          }),
      })
    }),
  )
}
