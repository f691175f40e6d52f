import type { ChainPosition } from "#src/domain/Fact.ts"

interface Transaction {
  readonly hash: string
  /** Log index of its first fact. */
  readonly firstLog: number
}

/** The transactions of a block that have facts, in order. */
export type TransactionsByBlock = (block: number) => ReadonlyArray<Transaction>

/** Collects the transactions of facts that come in several batches. */
export class TransactionCollector {
  readonly #firstLogs = new Map<number, Map<string, number>>()

  add(facts: ReadonlyArray<ChainPosition>): void {
    let [block, ofBlock] = [-1, new Map<string, number>()]
    for (const fact of facts) {
      if (fact.block !== block) {
        block = fact.block
        ofBlock = this.#firstLogs.get(block) ?? new Map()
        this.#firstLogs.set(block, ofBlock)
      }
      const known = ofBlock.get(fact.tx)
      if (known === undefined || fact.logIndex < known) ofBlock.set(fact.tx, fact.logIndex)
    }
  }

  readonly of: TransactionsByBlock = (block) =>
    Array.from(this.#firstLogs.get(block) ?? [], ([hash, firstLog]) => ({ hash, firstLog })).sort(
      (a, b) => a.firstLog - b.firstLog,
    )
}

/** Groups the transactions of facts by block. */
export const transactionsByBlock = (facts: ReadonlyArray<ChainPosition>): TransactionsByBlock => {
  const collector = new TransactionCollector()
  collector.add(facts)
  return collector.of
}
