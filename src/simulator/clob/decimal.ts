import type { Micro } from "../world/model.ts"

const unit = 1_000_000

/** Millionths as a decimal string: 520000 is "0.52". */
export const decimal = (micro: Micro): string => {
  const part = micro % unit
  const whole = String((micro - part) / unit)
  if (part === 0) return whole
  return `${whole}.${String(part).padStart(6, "0").replace(/0+$/, "")}`
}

const priceTexts = Array.from({ length: 1001 }, (_, price) => decimal(price * 1000))

/** Thousandths up to 1 as a decimal string. Precomputed, because book prices are formatted often. */
export const priceText = (price: number): string => priceTexts[price] as string

/** Average price of a share in millionths, rounded half up. */
export const averagePrice = (usd: Micro, shares: Micro): Micro => {
  const product = usd * unit * 2 + shares
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % (shares * 2))) / (shares * 2)
  const [u, s] = [BigInt(usd), BigInt(shares)]
  return Number((u * BigInt(unit) * 2n + s) / (s * 2n))
}
