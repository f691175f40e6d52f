import { exactAmount } from "#src/domain/amounts.ts"

/** What one share cost, to six decimals, half up; nothing for none. */
export const priceOf = (usd: bigint, shares: bigint): number =>
  shares === 0n ? 0 : exactAmount((2_000_000n * usd + shares) / (2n * shares))

export const sideOf = (code: number): "BUY" | "SELL" => (code === 0 ? "BUY" : "SELL")

/** What an order gives and gets, as on the chain: whole numbers of 10⁻⁶. */
export const amountsOf = ({ side, usd, shares }: { side: number; usd: bigint; shares: bigint }) =>
  side === 0
    ? { maker_amount: String(usd), taker_amount: String(shares) }
    : { maker_amount: String(shares), taker_amount: String(usd) }

export const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000)
