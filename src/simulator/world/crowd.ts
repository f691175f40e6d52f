import { type Dice, hash } from "../random.ts"
import { chanceInRange } from "./catalogue/crypto/chanceInRange.ts"
import type { Millis, PriceRange } from "./model.ts"
import type { Oracle } from "./oracle.ts"
import type { Market } from "./Venue.ts"

const clamp = (mid: number) => Math.min(995, Math.max(5, mid))

/** The crowd's estimate of the first outcome's probability, in 1/1000. */
export class Crowd {
  readonly #oracle: Oracle

  constructor(oracle: Oracle) {
    this.#oracle = oracle
  }

  midAt(market: Market, at: Millis): number {
    if (market.payouts !== undefined) {
      const [first, second] = market.payouts
      return Math.round((1000 * first) / (first + second))
    }
    if (market.legs !== undefined) return clamp(this.#jointChance(market, at))
    const { rule, endsAt } = market.plan
    if (rule.kind === "fate" && rule.range !== undefined) return clamp(this.#rangeChance(rule.range, endsAt, at))
    if (rule.kind !== "updown") return market.mid
    // Before its window opens, opinions change only every minute.
    const pace = at < market.event.plan.startsAt ? 60_000 : 1000
    const opinion = (hash(market.index, Math.floor(at / pace), 7) % 25) - 12
    return clamp(this.#updownChance(market, at) + opinion)
  }

  /** Every trade moves the estimate a little, and towards the end it converges to the result. */
  learn(market: Market, dice: Dice, at: Millis): void {
    const { plan, createdAt } = market
    if (plan.rule.kind !== "fate") return
    const life = Math.min(1, (at - createdAt) / Math.max(1, plan.endsAt - createdAt))
    const fate = plan.rule.winner === "half" ? 500 : plan.rule.winner === 0 ? 1000 : 0
    const pull = life * life * life * life * 0.2
    market.mid = clamp(Math.round(market.mid + (fate - market.mid) * pull) + dice.between(-12, 12))
  }

  /** Without noise, so that the prices of all levels of an event fit together. */
  #rangeChance(range: PriceRange, endsAt: Millis, at: Millis): number {
    const spot = this.#oracle.priceAt(range.coin, Math.floor(Math.min(at, endsAt) / 1000))
    return Math.round(1000 * chanceInRange(range, spot, (endsAt - at) / 1000))
  }

  #jointChance({ legs = [] }: Market, at: Millis): number {
    return legs.reduce((chance, { market, outcome }) => {
      const mid = this.midAt(market, at)
      return Math.round((chance * (outcome === 0 ? mid : 1000 - mid)) / 1000)
    }, 1000)
  }

  #updownChance({ plan }: Market, at: Millis): number {
    const { rule } = plan
    if (rule.kind !== "updown" || at <= rule.openAt) return 500
    const open = this.#oracle.priceAt(rule.coin, Math.floor(rule.openAt / 1000))
    const spot = this.#oracle.priceAt(rule.coin, Math.floor(at / 1000))
    const left = Math.max(1, (rule.closeAt - at) / 1000)
    const lead = (spot - open) / (open * 0.00004 * Math.sqrt(left))
    return 500 + Math.round((490 * lead) / (1 + Math.abs(lead)))
  }
}
