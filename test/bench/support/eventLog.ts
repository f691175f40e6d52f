export type Manner = "ours" | "unlocked" | "insert only"

export interface EventLogSubject {
  /** Appends from several fibers at once; rows per second. */
  readonly write: (manner: Manner, millis: number) => Promise<number>
  /** Appends one event at a time; for each, by its ref, when the append began and when its commit was known. */
  readonly trickle: (count: number) => Promise<ReadonlyArray<readonly [ref: number, began: number, committed: number]>>
  /** Follows the log from now on. */
  readonly follow: () => Promise<void>
  /** What was seen, and when. */
  readonly seen: () => ReadonlyArray<readonly [ref: number, at: number]>
}

export const writers = 4
export const perTransaction = 200
