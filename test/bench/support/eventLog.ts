export type Variant = "ours" | "unlocked" | "insert only"

export interface EventLogSubject {
  /** Appends from several fibers concurrently; returns rows per second. */
  readonly write: (variant: Variant, millis: number) => Promise<number>
  /** Appends one event at a time; returns the ref of each, the start of its append and the confirmation of its commit. */
  readonly trickle: (
    count: number,
  ) => Promise<ReadonlyArray<readonly [ref: number, startedAt: number, committed: number]>>
  /** Follows the log from now on. */
  readonly follow: () => Promise<void>
  /** The events seen, and when. */
  readonly seen: () => ReadonlyArray<readonly [ref: number, at: number]>
}

export const writers = 4
export const perTransaction = 200
