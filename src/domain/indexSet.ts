/** A set of indexes as the contracts write it: one bit for each. */
export const indexSetOf = (indexes: ReadonlyArray<number>): bigint =>
  indexes.reduce((set, index) => set | (1n << BigInt(index)), 0n)
