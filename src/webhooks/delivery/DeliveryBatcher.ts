import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { batchCalls } from "#src/platform/process/batchCalls.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import type { AttemptResult, Claim, ClaimRequest, ClaimResult, OverdueAttempt, RecordResult } from "./model.ts"

const batching = { maxBatch: 256, concurrency: 2 }

/** The rows of pending deliveries. Concurrent calls share statements. */
export class DeliveryBatcher extends Context.Service<
  DeliveryBatcher,
  {
    /** Claims an attempt that is due and that no other worker has. Holds it if the webhook is not active. */
    readonly claim: (request: ClaimRequest) => Effect.Effect<ClaimResult, SqlError>
    /** Releases an attempt that was not made; it is due again at `nextAt`. */
    readonly release: (claim: Claim, nextAt: Date) => Effect.Effect<void, SqlError>
    /** Records the result of an attempt if the claim is still ours. */
    readonly record: (result: AttemptResult) => Effect.Effect<RecordResult, SqlError>
    /** Overdue attempts, some of every webhook: their jobs were lost, or the worker that had them is gone. */
    readonly overdue: (now: number) => Effect.Effect<ReadonlyArray<OverdueAttempt>, SqlError>
  }
>()("presage/webhooks/DeliveryBatcher") {
  static readonly layer = Layer.effect(
    DeliveryBatcher,
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const claim = yield* batchCalls((all: ReadonlyArray<ClaimRequest>) => DeliveryStore.claimAll(sql, all), batching)
      const record = yield* batchCalls(
        (all: ReadonlyArray<AttemptResult>) => DeliveryStore.recordAll(sql, all),
        batching,
      )
      const release = yield* batchCalls(
        (all: ReadonlyArray<DeliveryStore.ReleasedClaim>) => DeliveryStore.releaseAll(sql, all),
        batching,
      )
      return DeliveryBatcher.of({
        claim,
        record,
        release: (one, nextAt) => release({ claim: one, nextAt }),
        overdue: (now) => DeliveryStore.overdue(sql, now),
      })
    }),
  )
}
