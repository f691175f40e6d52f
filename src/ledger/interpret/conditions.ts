import { address, collaterals, modules } from "#src/upstream/chain/contracts.ts"
import type { CtfMerge, CtfRedemption, CtfSplit } from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import { amountsOf, type TokenMove } from "./TokenMoves.ts"
import type { Transaction } from "./Transaction.ts"

const noParent = "0".repeat(64)

/**
 * Anyone can mint tokens of a condition with worthless collateral, or split one outcome on another condition. Modules merge
 * and redeem the tokens that they keep for those of Protocol V2, which is no change of any wallet.
 */
const isOfVenue = ({ collateral, parent, holder }: Pick<CtfSplit, "collateral" | "parent" | "holder">) =>
  collaterals.has(collateral) && parent === noParent && !modules.has(holder)

/** The tokens of YES and NO, whatever the order in which the outcomes are named; undefined for another partition. */
const pairOf = ({ partition }: CtfSplit | CtfMerge, move: TokenMove): readonly [string, string] | undefined => {
  const [yes, no] = [move.tokens[partition.indexOf(1)], move.tokens[partition.indexOf(2)]]
  return partition.length === 2 && yes !== undefined && no !== undefined ? [yes, no] : undefined
}

export const readSplit = (transaction: Transaction, event: CtfSplit, index: number): void => {
  const { moves } = transaction
  const minted = moves.lastBefore(index, ({ from, to }) => from === address.zero && to === event.holder)
  const tokens = minted === undefined ? undefined : pairOf(event, minted)
  if (minted === undefined || tokens === undefined || !isOfVenue(event)) return
  const { condition, amount } = event
  transaction.pairs.push({ condition, tokens })
  const wallet = moves.recipientOf(event.holder, minted)
  if (wallet === undefined || intermediaries.has(wallet)) return
  transaction.add(index, { kind: "split", wallet, condition, tokens, amount })
}

export const readMerge = (transaction: Transaction, event: CtfMerge, index: number): void => {
  const { moves } = transaction
  const burned = moves.lastBefore(index, ({ from, to }) => from === event.holder && to === address.zero)
  const tokens = burned === undefined ? undefined : pairOf(event, burned)
  if (burned === undefined || tokens === undefined || !isOfVenue(event)) return
  const { condition, amount } = event
  transaction.pairs.push({ condition, tokens })
  const wallet = moves.ownerOf(event.holder, tokens[0], burned.index)
  if (intermediaries.has(wallet)) return
  transaction.add(index, { kind: "merge", wallet, condition, tokens, amount })
}

export const readRedemption = (transaction: Transaction, event: CtfRedemption, index: number): void => {
  if (!isOfVenue(event)) return
  // A transaction may merge and redeem several conditions; the burns of each precede its log.
  const earlier = transaction.lastIndexBefore(index, ({ _tag }) => /^Ctf(Split|Merge|Redemption)$/.test(_tag))
  const burned = transaction.moves.burns(event.holder, earlier, index)
  const redeemed = amountsOf(burned)
  const [first] = redeemed
  const wallet =
    first === undefined || burned[0] === undefined
      ? event.holder
      : transaction.moves.ownerOf(event.holder, first.token, burned[0].index)
  if (intermediaries.has(wallet)) return
  const { condition, payout } = event
  transaction.add(index, { kind: "redemption", wallet, condition, redeemed, payout })
}
