import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Transaction } from "#src/platform/sql/Postgres.ts"
import type { Batch, Owed, Poller } from "./model.ts"

/** What is remembered, by key. Undefined where it is to be forgotten. */
export type Changes<Row> = ReadonlyMap<string, Row | undefined>

export interface Outcome<Row> {
  readonly owed: ReadonlyArray<Owed>
  readonly changes: Changes<Row>
}

/** Finds what is remembered of what is wanted; it may find more than that. */
export type Recall<Wanted, Row> = (wanted: Wanted) => Effect.Effect<ReadonlyMap<string, Row>, SqlError>

/**
 * Steps that remember something from batch to batch: in rows, which are written with what is owed, or in memory, for
 * those who only want to see what would be told.
 */
export const remembering = <T, Wanted, Row>(options: {
  readonly evaluate: (
    batch: Batch<T>,
    recall: Recall<Wanted, Row>,
    isPreview: boolean,
  ) => Effect.Effect<Outcome<Row>, SqlError>
  readonly recall: (batch: Batch<T>) => Recall<Wanted, Row>
  readonly keep: (changes: Changes<Row>, batch: Batch<T>) => Effect.Effect<void, SqlError, Transaction>
}): Required<Pick<Poller<T>, "step" | "preview">> => {
  const { evaluate, recall, keep } = options
  return {
    step: (batch) =>
      Effect.map(evaluate(batch, recall(batch), false), ({ owed, changes }) => ({ owed, save: keep(changes, batch) })),
    preview: Effect.sync(() => {
      const memory = new Map<string, Row>()
      return (batch) =>
        Effect.map(
          evaluate(batch, () => Effect.succeed(memory), true),
          ({ owed, changes }) => {
            for (const [key, row] of changes) {
              if (row === undefined) memory.delete(key)
              else memory.set(key, row)
            }
            return { owed, save: Effect.void }
          },
        )
    }),
  }
}
