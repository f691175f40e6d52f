import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/Postgres.ts"

/** How far the ledger has come. */
export interface LedgerProgress {
  readonly startedFrom: number
  readonly block: number
  readonly head: number
  readonly hasCaughtUp: boolean
  readonly updatedAt: number
}

export const percentOf = ({ startedFrom, block, head }: LedgerProgress): number =>
  head <= startedFrom ? 100 : Math.min(100, Math.floor((100 * (block - startedFrom)) / (head - startedFrom)))

/** Read from the database, so that every process knows, whoever follows the chain. */
export class Progress extends Context.Service<
  Progress,
  { readonly ledger: Effect.Effect<LedgerProgress | undefined, SqlError> }
>()("presage/ledger/Progress") {
  static readonly layer = Layer.effect(
    Progress,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      return Progress.of({
        ledger: Effect.map(
          reads<{ started_from: number; block: number; head: number; caught_up: boolean; updated_at: Date }>`
            select started_from, block, head, caught_up_at is not null as caught_up, updated_at from chain_cursor`,
          ([row]) =>
            row && {
              startedFrom: row.started_from,
              block: row.block,
              head: row.head,
              hasCaughtUp: row.caught_up,
              updatedAt: row.updated_at.getTime(),
            },
        ),
      })
    }),
  )
}
