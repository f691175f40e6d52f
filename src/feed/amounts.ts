import { exactAmount, halfUp, type Shares, type Usdc } from "#src/domain/amounts.ts"

/** Price of one share, rounded half up to six decimals; 0 for no shares. */
export const priceOf = (usd: Usdc<bigint>, shares: Shares<bigint>): number =>
  shares === 0n ? 0 : exactAmount(halfUp(1_000_000n * usd, shares))

export const sideOf = (code: number): "BUY" | "SELL" => (code === 0 ? "BUY" : "SELL")

/** The amounts that an order gives and receives, as on the chain: whole numbers of 10⁻⁶. */
export const amountsOf = ({ side, usd, shares }: { side: number; usd: Usdc<bigint>; shares: Shares<bigint> }) =>
  side === 0
    ? { maker_amount: String(usd), taker_amount: String(shares) }
    : { maker_amount: String(shares), taker_amount: String(usd) }

export const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000)
