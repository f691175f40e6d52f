import { minus, plus, type Shares, shares } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { SequenceEnded } from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import { isOperation, lastLogOf, pairOf } from "./modules.ts"
import type { TokenMove } from "./TokenMoves.ts"
import type { Transaction } from "./Transaction.ts"

const { comboModule: module, router, zero } = address

const isHandover =
  (wallet: string) =>
  ({ operator, from, to }: TokenMove): boolean =>
    operator === router && from === wallet && to === module

/** The operations of a sequence are the last ones before its log; each has one log. */
const sequenceOf = (transaction: Transaction, event: SequenceEnded, index: number) => {
  const { logs } = transaction
  const operations: Array<number> = []
  let i = index - 1
  for (; i >= 0; i--) {
    const each = logs[i]?.event
    if (each === undefined || each._tag === "SequenceEnded") break
    if (!isOperation(each) || each.module !== module) continue
    if (operations.length === event.operations) break
    operations.push(i)
  }
  return { operations, after: lastLogOf(transaction, i) }
}

/**
 * The wallets whose operations the router executes in sequences, by index of the operation's log. The module holds what they
 * give up and what later operations use, so that the moves do not name them.
 */
export const initiatorsIn = (transaction: Transaction): ReadonlyMap<number, string> => {
  const initiators = new Map<number, string>()
  transaction.logs.forEach(({ event }, index) => {
    if (event._tag !== "SequenceEnded") return
    for (const i of sequenceOf(transaction, event, index).operations) initiators.set(i, event.wallet)
  })
  return initiators
}

/** Whether the module gives tokens back to a wallet. */
const isReturn = ({ from, to }: TokenMove): boolean => from === module && !intermediaries.has(to)

/**
 * Tokens that a sequence leaves with the module are lost to the wallet; others may have been left there before. What the
 * module returns was the wallet's, also if somebody else receives it.
 */
export const readSequenceEnd = (transaction: Transaction, event: SequenceEnded, index: number): void => {
  const { wallet } = event
  const { after } = sequenceOf(transaction, event, index)
  const left = new Map<string, Shares>()
  const transfers: Array<{ sender: string; receiver: string; token: string; shares: Shares }> = []
  for (const move of transaction.moves.between(after, index, () => true)) {
    const { operator, from, to, tokens, amounts } = move
    const isIn = isHandover(wallet)(move) || (operator === module && from === zero && to === module)
    const isOut = (from === module && to === zero) || isReturn(move)
    if (!isIn && !isOut) continue
    tokens.forEach((token, i) => {
      const [before, moved] = [left.get(token) ?? shares(0), amounts[i] ?? shares(0)]
      left.set(token, isIn ? plus(before, moved) : minus(before, moved))
      if (isReturn(move) && to !== wallet) transfers.push({ sender: wallet, receiver: to, token, shares: moved })
    })
  }
  for (const [token, amount] of left) {
    if (amount === 0) continue
    const [sender, receiver] = amount > 0 ? [wallet, module] : [module, wallet]
    transfers.push({ sender, receiver, token, shares: shares(Math.abs(amount)) })
  }
  transfers.forEach((transfer, sub) => {
    transaction.pairs.push(pairOf(transfer.token))
    transaction.add(index, { kind: "transfer", sub, ...transfer })
  })
}
