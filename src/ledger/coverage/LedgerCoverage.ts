import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as CoverageStore from "./CoverageStore.ts"

/** What the ledger covers; undefined while it is empty. */
export class LedgerCoverage extends Context.Service<
  LedgerCoverage,
  { readonly now: Effect.Effect<CoverageStore.Coverage | undefined, SqlError> }
>()("presage/ledger/LedgerCoverage") {
  static readonly layer = Layer.effect(
    LedgerCoverage,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      // Coverage grows, so that an earlier one is still true, except for the moment in which a month is dropped. An empty
      // ledger is not for long.
      const now = yield* cachedBriefly(CoverageStore.read(reads), "1 second", (covered) => covered !== undefined)
      return LedgerCoverage.of({ now })
    }),
  )
}
