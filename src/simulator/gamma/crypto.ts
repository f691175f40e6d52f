import { coinNames } from "../world/catalogue/crypto/names.ts"
import type { MarketPlan, Millis, Rule } from "../world/model.ts"
import type { Oracle } from "../world/oracle.ts"

const minute = 60_000
const hour = 60 * minute

type UpDown = Extract<Rule, { readonly kind: "updown" }>

export const upDownOf = ({ rule }: MarketPlan): UpDown | undefined => (rule.kind === "updown" ? rule : undefined)

const durationOf = ({ openAt, closeAt }: UpDown): string => {
  const duration = closeAt - openAt
  if (duration > 12 * hour) return "1d"
  return duration < hour ? `${duration / minute}m` : `${duration / hour}h`
}

export const cryptoMarketConfig = (rule: UpDown) => {
  const asset = coinNames[rule.coin]?.short ?? ""
  const duration = durationOf(rule)
  return rule.by === "twap60"
    ? { id: `${asset}-${duration}-twap-60`, asset, duration, twapEnabled: true, twapLookbackSeconds: 60 }
    : { id: `${asset}-${duration}`, asset, duration, twapEnabled: false, twapLookbackSeconds: 0 }
}

/** Empty for markets that people resolve. */
export const resolutionSource = (rule: UpDown | undefined): string => {
  if (rule === undefined) return ""
  const asset = coinNames[rule.coin]?.short ?? ""
  return rule.by === "twap60"
    ? `https://data.chain.link/streams/${asset}-usd-twap-60s-streams`
    : `https://www.binance.com/en/trade/${asset.toUpperCase()}_USDT`
}

/** The opening price is published a minute late, the closing price with the result. */
export const priceMetadata = (oracle: Oracle, rule: UpDown, now: Millis, isClosed: boolean) => {
  if (now < rule.openAt + minute) return undefined
  const priceAt = (time: Millis) => {
    const second = Math.floor(time / 1000)
    return (rule.by === "twap60" ? oracle.twap60(rule.coin, second) : oracle.priceAt(rule.coin, second)) / 1e8
  }
  const priceToBeat = priceAt(rule.openAt)
  return isClosed ? { priceToBeat, finalPrice: priceAt(rule.closeAt) } : { priceToBeat }
}
