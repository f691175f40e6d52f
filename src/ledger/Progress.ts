import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** How far the ledger has come. */
export interface LedgerProgress {
  readonly startedFrom: number
  readonly block: number
  readonly head: number
  readonly hasCaughtUp: boolean
  readonly updatedAt: number
  /** Why it cannot go on by itself. */
  readonly halted: string | undefined
}

export const percentOf = ({ startedFrom, block, head }: LedgerProgress): number =>
  head <= startedFrom ? 100 : Math.min(100, Math.floor((100 * (block - startedFrom)) / (head - startedFrom)))

/** A follower writes every few seconds, if it lives. */
const abandonedAfter = 30_000

/** Read from the database, so that every process knows, whoever follows the chain. */
export class Progress extends Context.Service<
  Progress,
  {
    readonly ledger: Effect.Effect<LedgerProgress | undefined, SqlError>
    /** Waits while the history is being read, which is when everything else that is not urgent is in its way. */
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
      // A history that was read once stays read, and whoever waits for it again and again need not ask.
      let isRead = false
      const isReading = Effect.gen(function* () {
        if (isRead) return false
        const now = yield* Clock.currentTimeMillis
        const progress = yield* ledger
        isRead = progress?.hasCaughtUp === true
        return progress !== undefined && !isRead && now - progress.updatedAt < abandonedAfter
      })
      return Progress.of({
        ledger,
        afterHistory: Effect.asVoid(
          Effect.repeat(isReading, { while: (yes) => yes, schedule: Schedule.spaced("1 second") }),
        ),
      })
    }),
  )
}
