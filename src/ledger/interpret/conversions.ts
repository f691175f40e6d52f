import { plus, shares, type Usdc, usdc } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { NegRiskConversion } from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import type { Transaction } from "./Transaction.ts"

/** Dollars that the adapter paid to the holder since another log. */
const paidSince = ({ logs }: Transaction, holder: string, after: number, before: number): Usdc =>
  logs.slice(after + 1, before).reduce((sum, { event }) => {
    const isPayout =
      event._tag === "CollateralTransfer" && event.from === address.wrappedCollateral && event.to === holder
    return isPayout ? plus(sum, event.amount) : sum
  }, usdc(0))

/**
 * NO tokens of some questions become YES of all others, less a fee in shares, and dollars for all NO tokens but one, less a
 * fee in dollars. A conversion of all questions gives no YES.
 */
export const readConversion = (transaction: Transaction, event: NegRiskConversion, index: number): void => {
  const { moves } = transaction
  const { holder, market: negRiskMarket, questions, amount } = event
  const given = moves.lastBefore(index, ({ from, tokens }) => from === holder && tokens.length === questions.length)
  if (given === undefined || given.tokens[0] === undefined) return
  const wallet = moves.ownerOf(holder, given.tokens[0], given.index)
  if (intermediaries.has(wallet)) return
  const [taken] = moves.between(given.index, index, ({ from, to }) => from === address.negRiskAdapter && to === holder)
  transaction.add(index, {
    kind: "conversion",
    operation: undefined,
    wallet,
    negRiskMarket,
    questions,
    nos: given.tokens,
    yeses: taken?.tokens ?? [],
    amount,
    received: taken?.amounts[0] ?? shares(0),
    paid: paidSince(transaction, holder, given.index, index),
  })
}
