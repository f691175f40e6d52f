import { type Dice, hash } from "../random.ts"
import { type Facts, TxKind } from "./Facts.ts"
import type { Micro, Millis } from "./model.ts"
import type { Market, Venue } from "./Venue.ts"

export interface Rewards {
  /** USD per day for all makers together; 0 without a programme. */
  readonly daily: number
  readonly minSize: number
  /** In cents. */
  readonly maxSpread: number
}

/** Liquidity rewards for orders near the midpoint, in the busier half of the long-lived markets. */
export const rewardsOf = ({ index, plan }: Market): Rewards => {
  const isPaid = plan.rule.kind === "fate" && plan.sportsMarketType === undefined && plan.weight >= 2
  if (!isPaid) return { daily: 0, minSize: 0, maxSpread: 0 }
  return {
    daily: 5 * (1 + (hash(index, 12) % 8)),
    minSize: plan.weight > 20 ? 200 : 50,
    maxSpread: plan.tickSize === "0.01" ? 4.5 : 3.5,
  }
}

const usd = 1_000_000

/** Daily payments of the venue to its makers: rebates of fees and liquidity rewards. */
export class MakerPayouts {
  readonly #venue: Venue
  readonly #facts: Facts
  readonly #dice: Dice
  readonly #makers: number

  constructor(options: {
    readonly venue: Venue
    readonly facts: Facts
    readonly dice: Dice
    readonly makers: number
  }) {
    this.#venue = options.venue
    this.#facts = options.facts
    this.#dice = options.dice
    this.#makers = options.makers
  }

  pay(block: number, at: Millis): void {
    this.#payRebates(block, at)
    this.#payRewards(block, at)
  }

  #payRebates(block: number, at: Millis): void {
    const { books } = this.#venue
    for (let wallet = 0; wallet < this.#makers; wallet++) {
      if (books.pendingRebate(wallet) < usd) continue
      const amount = books.payRebate(wallet)
      this.#facts.add({ kind: TxKind.rebate, block, at, wallet, market: -1, amount })
    }
  }

  /** Each programme pays its daily sum to a few random makers. */
  #payRewards(block: number, at: Millis): void {
    const earned = new Map<number, Micro>()
    for (const market of this.#programmes()) {
      const part = Math.floor((rewardsOf(market).daily * usd) / 3)
      for (let i = 0; i < 3; i++) {
        const wallet = this.#dice.below(this.#makers)
        earned.set(wallet, (earned.get(wallet) ?? 0) + part)
      }
    }
    for (const [wallet, amount] of [...earned].sort(([a], [b]) => a - b)) {
      this.#venue.books.payReward(wallet, amount)
      this.#facts.add({ kind: TxKind.reward, block, at, wallet, market: -1, amount })
    }
  }

  /** Open markets with a programme that have been traded: the others have no makers. */
  #programmes(): ReadonlyArray<Market> {
    return this.#venue.open.items().flatMap((index) => {
      const market = this.#venue.markets[index] as Market
      return market.trades > 0 && rewardsOf(market).daily > 0 ? [market] : []
    })
  }
}
