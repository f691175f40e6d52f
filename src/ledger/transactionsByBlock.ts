import type { ChainPosition } from "#src/domain/Fact.ts"

interface Transaction {
  readonly hash: string
  /** Log index of its first fact. */
  firstLog: number
}

/** The transactions of a block that have facts, in order. */
export type TransactionsByBlock = (block: number) => ReadonlyArray<Readonly<Transaction>>

const none: ReadonlyArray<Transaction> = []

/** Collects the transactions of facts that come in several batches. */
export class TransactionCollector {
  readonly #byBlock = new Map<number, Array<Transaction>>()
  #last: { readonly block: number; readonly transactions: Array<Transaction> } | undefined

  #transactionsOf(block: number): Array<Transaction> {
    if (this.#last?.block === block) return this.#last.transactions
    const transactions = this.#byBlock.get(block) ?? []
    this.#byBlock.set(block, transactions)
    this.#last = { block, transactions }
    return transactions
  }

  addFact(block: number, logIndex: number, tx: string): void {
    const ofBlock = this.#transactionsOf(block)
    // Facts mostly come in order, so that it is the last one.
    const known = ofBlock.findLast(({ hash }) => hash === tx)
    if (known === undefined) ofBlock.push({ hash: tx, firstLog: logIndex })
    else known.firstLog = Math.min(known.firstLog, logIndex)
  }

  add(facts: ReadonlyArray<ChainPosition>): void {
    for (const { block, logIndex, tx } of facts) this.addFact(block, logIndex, tx)
  }

  readonly of: TransactionsByBlock = (block) =>
    this.#byBlock.get(block)?.sort((a, b) => a.firstLog - b.firstLog) ?? none
}

/** Groups the transactions of facts by block. */
export const transactionsByBlock = (facts: ReadonlyArray<ChainPosition>): TransactionsByBlock => {
  const collector = new TransactionCollector()
  collector.add(facts)
  return collector.of
}
