import { negated, plus, type Shares, shares, sumOf, type Usdc, usdc, worthOfPairs } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { ChainEvent, CombosReturned } from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import { pairOf } from "./modules.ts"
import type { TokenMove } from "./TokenMoves.ts"
import type { Transaction } from "./Transaction.ts"

const module = address.comboModule

/** Collateral that an operation pays, or takes (negative). */
const paidBy = (event: ChainEvent): Usdc => {
  switch (event._tag) {
    case "ModuleSplit":
      return event.module === module ? negated(worthOfPairs(event.amount)) : usdc(0)
    case "ModuleMerge":
      return event.module === module ? worthOfPairs(event.amount) : usdc(0)
    case "ModuleRedemption":
      return event.module === module ? event.payout : usdc(0)
    case "ModuleExchange":
      return event.module === module ? event.paid : usdc(0)
    default:
      return usdc(0)
  }
}

/** The router first sends all tokens of the wallet to the module, so the last such move begins the sequence. */
const beginOf = (transaction: Transaction, wallet: string, index: number): number => {
  const isHandover = ({ operator, from, to }: TokenMove) =>
    operator === address.router && from === wallet && to === module
  const earlier = transaction.lastIndexBefore(index, ({ _tag }) => _tag === "CombosReturned")
  return transaction.moves.lastBefore(index, (move) => move.index > earlier && isHandover(move))?.index ?? earlier + 1
}

/** The operations of a sequence, by index of their logs: the module is its own counterparty in between. */
export const operationsInReturns = (transaction: Transaction): ReadonlySet<number> => {
  const covered = new Set<number>()
  transaction.logs.forEach(({ event }, index) => {
    if (event._tag !== "CombosReturned") return
    for (let i = beginOf(transaction, event.wallet, index); i < index; i++) {
      const each = transaction.logs[i]?.event
      if (each !== undefined && "module" in each && each.module === module) covered.add(i)
    }
  })
  return covered
}

/**
 * Only what leaves and reaches wallets counts. The collateral is that of the shares given up, in equal parts; if it was paid
 * rather than received, it is that of the shares received.
 */
export const readComboReturn = (transaction: Transaction, { wallet }: CombosReturned, index: number): void => {
  const begin = beginOf(transaction, wallet, index)
  const paid = sumOf(transaction.logs.slice(begin, index).map(({ event }) => paidBy(event)))
  const changes = new Map<string, { readonly wallet: string; readonly token: string; shares: Shares }>()
  const change = (owner: string, token: string, moved: Shares) => {
    const key = `${owner} ${token}`
    const known = changes.get(key)
    if (known !== undefined) known.shares = plus(known.shares, moved)
    else changes.set(key, { wallet: owner, token, shares: moved })
  }
  for (const { from, to, tokens, amounts } of transaction.moves.between(begin - 1, index, () => true)) {
    tokens.forEach((token, i) => {
      const amount = amounts[i] ?? shares(0)
      if (from === wallet && to === module) change(wallet, token, negated(amount))
      if ((from === address.zero || from === module) && !intermediaries.has(to)) change(to, token, amount)
    })
  }
  const all = [...changes.values()].filter(({ shares }) => shares !== 0)
  const priced = all.filter((each) => each.wallet === wallet && (paid < 0 ? each.shares > 0 : each.shares < 0))
  const part = Math.trunc(paid / Math.max(1, priced.length))
  all.forEach((each, sub) => {
    const rank = priced.indexOf(each)
    const isLast = rank === priced.length - 1
    const own = rank < 0 ? 0 : isLast ? paid - part * rank : part
    transaction.pairs.push(pairOf(each.token))
    transaction.add(index, { kind: "stock_change", sub, ...each, paid: usdc(own) })
  })
}
