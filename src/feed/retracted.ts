/** A reorganisation in the log: what came before it of blocks after `fork` no longer holds. */
export interface Fork {
  readonly seq: bigint
  readonly fork: bigint
}

/** Tells of each entry, by its seq and block, whether a later reorganisation took it back. The forks rise by seq. */
export const takenBackBy = (forks: ReadonlyArray<Fork>) => {
  // The lowest fork from each place to the end: one that comes later and reaches lower covers those before it.
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
