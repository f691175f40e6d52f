import { derivedCombo } from "./combos.ts"
import type { Millis } from "./model.ts"
import type { Leg, Market, Venue } from "./Venue.ts"

const maxLegs = 6

export const isOpen = ({ market }: Leg): boolean => market.payouts === undefined

/** The contracts sort the legs of a combo, so that their order makes no difference. */
const keyOf = (legs: ReadonlyArray<Leg>) =>
  legs
    .map(({ market, outcome }) => 2 * market.index + outcome)
    .sort((a, b) => a - b)
    .join(" ")

/** Where a market is, or belongs, in a list in order of listing. */
const placeOf = (markets: ReadonlyArray<Market>, { index }: Market): number => {
  let low = 0
  let high = markets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((markets[middle] as Market).index < index) low = middle + 1
    else high = middle
  }
  return low
}
const insert = (markets: Array<Market>, market: Market) => {
  const place = placeOf(markets, market)
  if (markets[place] !== market) markets.splice(place, 0, market)
}
const remove = (markets: Array<Market>, market: Market) => {
  const place = placeOf(markets, market)
  if (markets[place] === market) markets.splice(place, 1)
}

/** Undecided combos, in lists by what can be done with them. All lists are in order of listing. */
export class OpenCombos {
  /** Those with a resolved leg. */
  readonly partly: Array<Market> = []
  /** Those without a resolved leg that can get another one. */
  readonly whole: Array<Market> = []
  /** Those of one leg. Legs of neg-risk events are left out: a result decides their siblings too. */
  readonly single: Array<Market> = []
  readonly #venue: Venue
  readonly #byLegs = new Map<string, Market>()

  constructor(venue: Venue) {
    this.#venue = venue
  }

  /** Adds a combo, whose legs are open. */
  add(combo: Market): void {
    const { legs = [] } = combo
    const key = keyOf(legs)
    if (!this.#byLegs.has(key)) this.#byLegs.set(key, combo)
    if (legs.length < maxLegs) this.whole.push(combo)
    if (legs.length === 1 && legs[0]?.market.event.plan.negRisk === false) this.single.push(combo)
  }

  /** A leg of these combos was resolved, which may have decided them. */
  legResolved(combos: ReadonlyArray<Market>): void {
    for (const combo of combos) {
      remove(this.whole, combo)
      remove(this.single, combo)
      if (combo.payouts === undefined) insert(this.partly, combo)
      else {
        remove(this.partly, combo)
        this.#byLegs.delete(keyOf(combo.legs ?? []))
      }
    }
  }

  /** The combo of some legs, which may exist. */
  of(legs: ReadonlyArray<Leg>, at: Millis): { readonly combo: Market; readonly isNew: boolean } {
    const known = this.#byLegs.get(keyOf(legs))
    if (known !== undefined) return { combo: known, isNew: false }
    const combo = derivedCombo(this.#venue, at, legs)
    this.add(combo)
    return { combo, isNew: true }
  }
}
