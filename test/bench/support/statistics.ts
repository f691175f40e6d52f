/** The value below which the share `q` of all values lies. */
export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** Median of ours / theirs over the rounds: each round compares runs within the same few seconds. */
export const medianRatio = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>): number =>
  median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
