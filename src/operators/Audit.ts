import { Cause, Context, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { redact } from "#src/platform/text/redact.ts"
import * as AuditStore from "./AuditStore.ts"

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit) ? "done" : redact(`failed: ${describe(Cause.squash(exit.cause))}`).slice(0, 500)

/** Records what operators do. */
export class Audit extends Context.Service<
  Audit,
  {
    /** Does something and records it. The line is written first: nothing is done without one. */
    readonly record: <A, E, R>(
      action: AuditStore.Action,
      work: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | SqlError, R>
    readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<AuditStore.AuditLine>, SqlError>
  }
>()("presage/operators/Audit") {
  static readonly layer = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      return Audit.of({
        record: (action, work) =>
          Effect.flatMap(AuditStore.begin(sql, action), (id) =>
            Effect.onExit(work, (exit) => Effect.ignore(AuditStore.end(sql, id, outcomeOf(exit)))),
          ).pipe(Effect.withSpan("Audit.record")),
        newest: Effect.fn("Audit.newest")((limit) => AuditStore.newest(reads, limit)),
      })
    }),
  )
}
