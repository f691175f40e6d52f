import { finePrice, halfUp } from "#src/domain/amounts.ts"
import type { Tick } from "#src/domain/Tick.ts"

/** Averaging windows in seconds. */
export const twapWindows = [30, 60] as const
export type TwapWindow = (typeof twapWindows)[number]

export type Quote = Pick<Tick, "price" | "bid" | "ask">

const meanOf = (sum: bigint, weight: bigint) => finePrice(halfUp(sum, weight))

/**
 * Average over the window that ends at a tick, rounded half up. A price holds until the next one, but no longer than two
 * windows, so every process computes the same average from the ticks of that time alone. Where the window starts before
 * the first tick, the average covers only the rest of it.
 */
export const twapAt = (ticks: ReadonlyArray<Tick>, index: number, seconds: TwapWindow): Quote | undefined => {
  const last = ticks[index]
  if (last === undefined) return undefined
  const start = last.at - seconds * 1000
  const oldest = start - seconds * 1000
  let [price, bid, ask] = [0n, 0n, 0n]
  let until = last.at
  for (let i = index - 1; i >= 0 && until > start; i--) {
    const tick = ticks[i]
    if (tick === undefined || tick.at < oldest) break
    const from = Math.max(tick.at, start)
    const weight = BigInt(until - from)
    price += tick.price * weight
    bid += tick.bid * weight
    ask += tick.ask * weight
    until = from
  }
  const weight = BigInt(last.at - until)
  if (weight === 0n) return last
  return { price: meanOf(price, weight), bid: meanOf(bid, weight), ask: meanOf(ask, weight) }
}
