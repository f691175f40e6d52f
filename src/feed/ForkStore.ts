import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** A reorganisation in the log: earlier entries of blocks after `fork` are retracted. */
export interface Fork {
  readonly seq: bigint
  readonly fork: bigint
}

/** Reorganisations after an entry of the log, ascending. */
export const forksAfter = (sql: SqlClient, seq: bigint) =>
  sql<Fork>`select seq, ref as fork from event_log where kind = 'reorg' and seq > ${seq} order by seq`

/** Whether a later reorganisation retracted the entry with this seq and block. The forks ascend by seq. */
export const retractedBy = (forks: ReadonlyArray<Fork>) => {
  // The lowest fork from each index to the end: a later fork that reaches lower covers the ones before it.
  const lowest: Array<bigint> = []
  for (let at = forks.length - 1; at >= 0; at--) {
    const fork = (forks[at] as Fork).fork
    const later = lowest[at + 1]
    lowest[at] = later === undefined || fork < later ? fork : later
  }
  return (seq: bigint, block: bigint): boolean => {
    let [from, to] = [0, forks.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((forks[middle] as Fork).seq > seq) to = middle
      else from = middle + 1
    }
    const fork = lowest[from]
    return fork !== undefined && fork < block
  }
}
