import { Context, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { cachedFor } from "#src/platform/process/sharedWork.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as CoverageStore from "./CoverageStore.ts"

/**
 * Until the next query. Coverage grows, so that an earlier one is still true, except for the moment in which a month is dropped.
 * An empty ledger is not for long.
 */
const validFor = (read: Exit.Exit<CoverageStore.Coverage | undefined, SqlError>) =>
  Exit.isSuccess(read) && read.value !== undefined ? "1 second" : 0

/** What the ledger covers; undefined while it is empty. */
export class LedgerCoverage extends Context.Service<
  LedgerCoverage,
  { readonly now: Effect.Effect<CoverageStore.Coverage | undefined, SqlError> }
>()("presage/ledger/LedgerCoverage") {
  static readonly layer = Layer.effect(
    LedgerCoverage,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      return LedgerCoverage.of({ now: yield* cachedFor(CoverageStore.read(reads), validFor) })
    }),
  )
}
