import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export interface LedgerProgress {
  readonly startedFrom: number
  readonly block: number
  readonly head: number
  readonly hasCaughtUp: boolean
  readonly updatedAt: number
  /** Why the ledger cannot continue without an operator. */
  readonly halted: string | undefined
}

export const percentOf = ({ startedFrom, block, head }: LedgerProgress): number =>
  head <= startedFrom ? 100 : Math.min(100, Math.floor((100 * (block - startedFrom)) / (head - startedFrom)))

/** A live follower writes every few seconds. */
const abandonedAfter = 30_000

/** Progress of the ledger, read from the database: the follower may run in another process. */
export class Progress extends Context.Service<
  Progress,
  {
    readonly ledger: Effect.Effect<LedgerProgress | undefined, SqlError>
    /** Whether the backfill runs. */
    readonly isReading: Effect.Effect<boolean, SqlError>
    /** Waits while the backfill runs: less urgent work would slow it down. */
    readonly afterHistory: Effect.Effect<void, SqlError>
  }
>()("presage/ledger/Progress") {
  static readonly layer = Layer.effect(
    Progress,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const ledger: Progress["Service"]["ledger"] = Effect.map(
        reads<{
          started_from: number
          block: number
          head: number
          caught_up: boolean
          updated_at: Date
          halted: string | null
        }>`
            select started_from, block, head, caught_up_at is not null as caught_up, updated_at, halted from chain_cursor`,
        ([row]) =>
          row && {
            startedFrom: row.started_from,
            block: row.block,
            head: row.head,
            hasCaughtUp: row.caught_up,
            updatedAt: row.updated_at.getTime(),
            halted: row.halted ?? undefined,
          },
      )
      // Once complete, history stays complete; later callers need no query.
      let isComplete = false
      const isReading = Effect.gen(function* () {
        if (isComplete) return false
        const now = yield* Clock.currentTimeMillis
        const progress = yield* ledger
        isComplete = progress?.hasCaughtUp === true
        return progress !== undefined && !isComplete && now - progress.updatedAt < abandonedAfter
      })
      return Progress.of({
        ledger,
        isReading,
        afterHistory: Effect.asVoid(
          Effect.repeat(isReading, { while: (yes) => yes, schedule: Schedule.spaced("1 second") }),
        ),
      })
    }),
  )
}
