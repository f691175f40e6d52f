import type { Dice } from "../random.ts"
import { type Facts, TxKind } from "./Facts.ts"
import type { Millis } from "./model.ts"
import type { Oracle } from "./oracle.ts"
import type { Market, Venue } from "./Venue.ts"

const day = 86_400_000

type Payouts = readonly [number, number]

/** A future redemption of winning or worthless shares. */
export interface Redemption {
  readonly at: Millis
  readonly wallet: number
}

/** Resolves markets and redeems shares. */
export class Settlement {
  readonly #venue: Venue
  readonly #facts: Facts
  readonly #oracle: Oracle
  readonly #dice: Dice

  constructor(options: {
    readonly venue: Venue
    readonly facts: Facts
    readonly oracle: Oracle
    readonly dice: Dice
  }) {
    this.#venue = options.venue
    this.#facts = options.facts
    this.#oracle = options.oracle
    this.#dice = options.dice
  }

  /** Returns the transaction. */
  report(market: Market, block: number, at: Millis): number {
    return this.#facts.add({ kind: TxKind.resolve, block, at, wallet: -1, market: market.index })
  }

  /** Resolves a market with the report of its result, or a combo with that of a leg: combos have no report of their own. */
  resolve(market: Market, tx: number, at: Millis): ReadonlyArray<Redemption> {
    const { books } = this.#venue
    const payouts = this.#payoutsOf(market)
    this.#venue.resolve(market, payouts, tx, at)
    const redeemers = new Set<number>()
    for (const outcome of [0, 1] as const) {
      const token = market.tokens[outcome]
      const keen = payouts[outcome] > 0 ? 0.9 : 0.15
      for (const position of books.holdersOf(token)) {
        if (books.shares.get(position) > 0 && this.#dice.chance(keen)) redeemers.add(books.walletOf.get(position))
      }
      books.resolve(token, payouts[outcome], payouts[0] + payouts[1], tx)
    }
    return [...redeemers].map((wallet) => ({ at: at + 60_000 + this.#dice.skewed(0, 2 * day), wallet }))
  }

  /** Redeems all shares of both outcomes at once, as the contract does. */
  redeem(market: Market, wallet: number, block: number, at: Millis): void {
    const { books } = this.#venue
    const [first, second] = market.payouts as Payouts
    const held: Payouts = [books.held(wallet, market.tokens[0]), books.held(wallet, market.tokens[1])]
    if (held[0] + held[1] === 0) return
    const payout =
      books.redeem(wallet, market.tokens[0], first, first + second) +
      books.redeem(wallet, market.tokens[1], second, first + second)
    this.#facts.add({
      kind: TxKind.redeem,
      block,
      at,
      wallet,
      market: market.index,
      amount: held[0],
      second: held[1],
      extra: payout,
    })
  }

  #payoutsOf({ plan, legs }: Market): Payouts {
    const { rule } = plan
    if (rule.kind === "combo" || rule.kind === "migrated") return comboPayouts(legs ?? [])
    if (rule.kind === "fate") return rule.winner === "half" ? [1, 1] : rule.winner === 0 ? [1, 0] : [0, 1]
    const at = (moment: Millis) => {
      const second = Math.floor(moment / 1000)
      return rule.by === "twap60" ? this.#oracle.twap60(rule.coin, second) : this.#oracle.priceAt(rule.coin, second)
    }
    const change = at(rule.closeAt) - at(rule.openAt)
    if (change === 0) return rule.tie === "half" ? [1, 1] : [1, 0]
    return change > 0 ? [1, 0] : [0, 1]
  }
}

/** All or nothing; every leg resolved 50/50 halves the payout. */
const comboPayouts = (legs: NonNullable<Market["legs"]>): Payouts => {
  let parts = 1
  for (const { market, outcome } of legs) {
    // A leg can only be unresolved here if another one has lost.
    const [won, lost] = outcome === 0 ? (market.payouts ?? [1, 0]) : swapped(market.payouts ?? [0, 1])
    if (won === 0) return [0, 1]
    parts *= won + lost
  }
  return [1, parts - 1]
}

const swapped = ([first, second]: Payouts): Payouts => [second, first]

/** Whether the payout of a combo no longer depends on open legs. */
export const isComboDecided = ({ legs = [] }: Market): boolean =>
  legs.some(({ market, outcome }) => market.payouts?.[outcome] === 0) ||
  legs.every(({ market }) => market.payouts !== undefined)
