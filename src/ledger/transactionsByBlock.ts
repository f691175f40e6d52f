import type { ChainPosition } from "#src/domain/Fact.ts"

interface Transaction {
  readonly hash: string
  /** Log index of its first fact. */
  readonly firstLog: number
}

/** The transactions of a block that have facts, in order. */
export type TransactionsByBlock = (block: number) => ReadonlyArray<Transaction>

/** Groups the transactions of facts by block. */
export const transactionsByBlock = (facts: ReadonlyArray<ChainPosition>): TransactionsByBlock => {
  const firstLogs = new Map<number, Map<string, number>>()
  let [block, ofBlock] = [-1, new Map<string, number>()]
  for (const fact of facts) {
    if (fact.block !== block) {
      block = fact.block
      ofBlock = firstLogs.get(block) ?? new Map()
      firstLogs.set(block, ofBlock)
    }
    const known = ofBlock.get(fact.tx)
    if (known === undefined || fact.logIndex < known) ofBlock.set(fact.tx, fact.logIndex)
  }
  return (number) =>
    Array.from(firstLogs.get(number) ?? [], ([hash, firstLog]) => ({ hash, firstLog })).sort(
      (a, b) => a.firstLog - b.firstLog,
    )
}
