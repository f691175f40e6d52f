import type { Micro } from "../world/model.ts"

const unit = 1_000_000

/** Whole numbers of 10⁻⁶ as decimal digits: 520000 is 0.52. */
export const decimal = (micro: Micro): string => {
  const part = micro % unit
  const whole = String((micro - part) / unit)
  if (part === 0) return whole
  return `${whole}.${String(part).padStart(6, "0").replace(/0+$/, "")}`
}

const priceTexts = Array.from({ length: 1001 }, (_, price) => decimal(price * 1000))

/** The same of whole numbers of 1/1000 up to one, as prices in a book are; there are few and they are written often. */
export const priceText = (price: number): string => priceTexts[price] as string

/** What a share cost, in 10⁻⁶ and rounded half up: an order that met several prices has an average. */
export const averagePrice = (usd: Micro, shares: Micro): Micro => {
  const product = usd * unit * 2 + shares
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % (shares * 2))) / (shares * 2)
  const [u, s] = [BigInt(usd), BigInt(shares)]
  return Number((u * BigInt(unit) * 2n + s) / (s * 2n))
}
