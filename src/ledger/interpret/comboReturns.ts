import { minus, plus, type Shares, shares } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { CombosReturned } from "#src/upstream/chain/events.ts"
import { isOperation, pairOf } from "./modules.ts"
import type { TokenMove } from "./TokenMoves.ts"
import type { Transaction } from "./Transaction.ts"

const { comboModule: module, router, zero } = address

const isHandover =
  (wallet: string) =>
  ({ operator, from, to }: TokenMove): boolean =>
    operator === router && from === wallet && to === module

/** The operations of a sequence are the last ones before its log; each has one log. */
const sequenceOf = ({ logs }: Transaction, event: CombosReturned, index: number) => {
  const operations: Array<number> = []
  let i = index - 1
  for (; i >= 0; i--) {
    const each = logs[i]?.event
    if (each === undefined || each._tag === "CombosReturned") break
    if (!isOperation(each) || each.module !== module) continue
    if (operations.length === event.operations) break
    operations.push(i)
  }
  return { operations, after: i }
}

/**
 * The wallets whose operations the router executes in sequences, by index of the operation's log. The module holds what they
 * give up and what later operations use, so that the moves do not name them.
 */
export const initiatorsIn = (transaction: Transaction): ReadonlyMap<number, string> => {
  const initiators = new Map<number, string>()
  transaction.logs.forEach(({ event }, index) => {
    if (event._tag !== "CombosReturned") return
    for (const i of sequenceOf(transaction, event, index).operations) initiators.set(i, event.wallet)
  })
  return initiators
}

/** Tokens that a sequence leaves with the module are lost to the wallet; others may have been left there before. */
export const readComboReturn = (transaction: Transaction, event: CombosReturned, index: number): void => {
  const { wallet } = event
  const { after } = sequenceOf(transaction, event, index)
  const left = new Map<string, Shares>()
  for (const move of transaction.moves.between(after, index, () => true)) {
    const { operator, from, to, tokens, amounts } = move
    const isIn = isHandover(wallet)(move) || (operator === module && from === zero && to === module)
    const isOut = from === module && to === zero
    if (!isIn && !isOut) continue
    tokens.forEach((token, i) => {
      const [before, moved] = [left.get(token) ?? shares(0), amounts[i] ?? shares(0)]
      left.set(token, isIn ? plus(before, moved) : minus(before, moved))
    })
  }
  const remaining = [...left].filter(([, amount]) => amount !== 0)
  remaining.forEach(([token, amount], sub) => {
    const [sender, receiver] = amount > 0 ? [wallet, module] : [module, wallet]
    transaction.pairs.push(pairOf(token))
    transaction.add(index, { kind: "transfer", sub, sender, receiver, token, shares: shares(Math.abs(amount)) })
  })
}
