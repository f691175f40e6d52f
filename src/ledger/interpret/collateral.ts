import { negated } from "#src/domain/amounts.ts"
import type { Redemption } from "#src/domain/Fact.ts"
import { address, autoRedeemers, makerPayers, ramps } from "#src/upstream/chain/contracts.ts"
import type { CollateralTransfer, CollateralUnwrapped, CollateralWrapped } from "#src/upstream/chain/events.ts"
import type { Transaction } from "./Transaction.ts"

/** The auto-redeemer pays redemptions through the ramp: that is no deposit. */
const paysRedemption = (transaction: Transaction, { to, amount }: CollateralWrapped): boolean => {
  const isAutomatic = transaction.moves.all.some((move) => autoRedeemers.has(move.to))
  const isPaid = (fact: Redemption) => fact.wallet === to && fact.payout === amount
  return isAutomatic && transaction.facts.some((fact) => fact.kind === "redemption" && isPaid(fact))
}

export const readWrap = (transaction: Transaction, event: CollateralWrapped, index: number): void => {
  if (!ramps.has(event.caller) || event.amount === 0 || paysRedemption(transaction, event)) return
  const { to: wallet, amount } = event
  transaction.add(index, { kind: "collateral_flow", wallet, amount })
}

/** The log names the receiver of USDC; the pUSD comes from the wallet that sent it to the pUSD contract before. */
export const readUnwrap = (transaction: Transaction, event: CollateralUnwrapped, index: number): void => {
  if (!ramps.has(event.caller) || event.amount === 0) return
  const sent = transaction.lastIndexBefore(
    index,
    (each) =>
      each._tag === "CollateralTransfer" &&
      each.asset === address.pusd &&
      each.from !== address.pusd &&
      (each.to === address.pusd || each.to === address.zero),
  )
  const transfer = transaction.logs[sent]?.event
  if (transfer?._tag !== "CollateralTransfer") return
  const { from: wallet } = transfer
  transaction.add(index, { kind: "collateral_flow", wallet, amount: negated(event.amount) })
}

/** The venue pays rewards and rebates from accounts of their own. */
export const readPayment = (transaction: Transaction, event: CollateralTransfer, index: number): void => {
  const purpose = makerPayers.get(event.from)
  if (purpose === undefined) return
  const { to: wallet, amount } = event
  transaction.add(index, { kind: "maker_payment", wallet, purpose, amount })
}
