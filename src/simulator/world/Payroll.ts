import type { Dice } from "../random.ts"
import { Act, type Facts } from "./Facts.ts"
import type { Micro, Millis } from "./model.ts"
import { rewardsOf } from "./rewards.ts"
import type { Market, Venue } from "./Venue.ts"

const usd = 1_000_000

/** What the venue pays its makers at the end of a day: their part of the fees, and rewards for orders that waited. */
export class Payroll {
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
      if (books.owedRebate(wallet) < usd) continue
      const amount = books.payRebate(wallet)
      this.#facts.add({ kind: Act.rebate, block, at, wallet, market: -1, amount })
    }
  }

  /** Every programme's daily sum goes to a few of the makers, in parts that follow no order anybody could know. */
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
      this.#facts.add({ kind: Act.reward, block, at, wallet, market: -1, amount })
    }
  }

  /** Open markets with a programme, among those that were traded: others nobody makes a market in. */
  #programmes(): ReadonlyArray<Market> {
    return this.#venue.open.items().flatMap((index) => {
      const market = this.#venue.markets[index] as Market
      return market.trades > 0 && rewardsOf(market).daily > 0 ? [market] : []
    })
  }
}
