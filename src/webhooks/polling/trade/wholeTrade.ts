import { halfUp, type Usdc, usdc } from "#src/domain/amounts.ts"
import type { FillRow } from "#src/feed/rows.ts"

/** The oldest exchanges took some fees in shares: valued at the price of the fill, rounded half up. */
const feeUsd = ({ fee, fee_in_shares, usd, shares }: FillRow): Usdc<bigint> =>
  usdc(!fee_in_shares ? fee : shares === 0n ? 0n : halfUp(fee * usd, shares))

export interface WholeTrade {
  /** Fees of both sides. */
  readonly fee: Usdc<bigint>
  /** Of the maker's order, or else of the taker's. */
  readonly builder: string | null
}

/** The maker's fill alone. */
export const ownPart = (fill: FillRow): WholeTrade => ({ fee: feeUsd(fill), builder: fill.builder })

/**
 * Both sides of the trade of a maker and a taker. The taker's order has one fill against all its makers, after theirs in
 * the transaction. Each trade bears the part of its fee that its shares are of the match; the parts add up to the fee.
 */
export const wholeTrade = (fill: FillRow, transaction: ReadonlyArray<FillRow>): WholeTrade => {
  const { fee, builder } = ownPart(fill)
  const isTakersFill = (one: FillRow) => one.taker === null && one.maker === fill.taker
  const at = transaction.indexOf(fill)
  const end = transaction.findIndex((one, index) => index > at && isTakersFill(one))
  const taken = transaction[end]
  if (taken === undefined) return { fee, builder }
  const start = transaction.slice(0, at).findLastIndex(isTakersFill) + 1
  const sharesOf = (fills: ReadonlyArray<FillRow>) =>
    fills.reduce((sum, { taker, shares }) => (taker === fill.taker ? sum + shares : sum), 0n)
  const [before, all] = [sharesOf(transaction.slice(start, at)), sharesOf(transaction.slice(start, end))]
  const upTo = (shares: bigint) => (all === 0n ? 0n : (feeUsd(taken) * shares) / all)
  return { fee: usdc(fee + upTo(before + fill.shares) - upTo(before)), builder: builder ?? taken.builder }
}
