import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Jobs } from "#src/mesh/Jobs.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { RepairRun } from "../contracts.ts"
import { AnotherRuns, NoSuchRun, type Run, type RunKind } from "./model.ts"
import * as RunStore from "./RunStore.ts"

const listed = 20

/** Checks and repairs that operators start; workers run them. */
export class Runs extends Context.Service<
  Runs,
  {
    readonly start: (kind: RunKind, by: string) => Effect.Effect<Run, AnotherRuns | SqlError | RedisFailure>
    /** Asks a run to stop. One that has ended stays as it is. */
    readonly cancel: (id: string) => Effect.Effect<Run, NoSuchRun | SqlError>
    /** Newest first. */
    readonly list: Effect.Effect<ReadonlyArray<Run>, SqlError>
  }
>()("presage/repair/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const jobs = yield* Jobs
      return Runs.of({
        start: Effect.fn("Runs.start")(function* (kind, by) {
          yield* RunStore.deleteExpired(sql)
          yield* RunStore.failLost(sql)
          const run = yield* RunStore.insert(sql, kind, by)
          if (run === undefined) {
            const other = yield* RunStore.open(sql)
            return yield* new AnotherRuns({ kind: other?.kind ?? kind })
          }
          yield* Effect.tapError(jobs.enqueue(RepairRun, { run: run.id }), () =>
            RunStore.finish(sql, run.id, { state: "failed", error: "Redis did not accept the job" }),
          )
          return run
        }),
        cancel: Effect.fn("Runs.cancel")(function* (id) {
          const run = (yield* RunStore.cancel(sql, id)) ?? (yield* RunStore.find(sql, id))
          return run ?? (yield* new NoSuchRun({ id }))
        }),
        list: Effect.withSpan(RunStore.newest(sql, listed), "Runs.list"),
      })
    }),
  )
}
