import type { Dice } from "../random.ts"
import { payoutOf } from "./Books.ts"
import { derivedCombo } from "./combos.ts"
import { type ComboOperation, type Facts, TxKind } from "./Facts.ts"
import type { Micro, Millis } from "./model.ts"
import { lot } from "./orderBook.ts"
import type { Leg, Market, Venue } from "./Venue.ts"

/** A combo is changed this often. */
export const changeEvery = 300_000

const maxLegs = 6

interface Change {
  readonly operation: ComboOperation
  readonly market: Market
  readonly given: ReadonlyArray<number>
  readonly received: ReadonlyArray<Market>
  /** The outcome that is received. */
  readonly outcome: 0 | 1
  readonly wallet: number
  readonly amount: Micro
  /** Shares of each received token. */
  readonly created: Micro
  readonly paid: Micro
}

/** Tokens that one became, so that they can become one again. */
interface Parts {
  readonly operation: "merge" | "merge_from_yes_basket"
  readonly whole: Market
  readonly outcome: 0 | 1
  readonly parts: ReadonlyArray<Market>
}

const opposite = ({ market, outcome }: Leg): Leg => ({ market, outcome: outcome === 0 ? 1 : 0, isFirstUse: false })
const isOpen = ({ market }: Leg) => market.payouts === undefined
const used = (legs: ReadonlyArray<Leg>) => legs.map((leg) => ({ ...leg, isFirstUse: false }))

const keyOf = (legs: ReadonlyArray<Leg>) => legs.map(({ market, outcome }) => 2 * market.index + outcome).join(" ")

/** Where a combo is, or belongs, in a list in order of listing. */
const placeOf = (combos: ReadonlyArray<Market>, { index }: Market): number => {
  let low = 0
  let high = combos.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((combos[middle] as Market).index < index) low = middle + 1
    else high = middle
  }
  return low
}
const insert = (combos: Array<Market>, combo: Market) => {
  const place = placeOf(combos, combo)
  if (combos[place] !== combo) combos.splice(place, 0, combo)
}
const remove = (combos: Array<Market>, combo: Market) => {
  const place = placeOf(combos, combo)
  if (combos[place] === combo) combos.splice(place, 1)
}

/** What the removed legs of a combo pay for a share, as a fraction. */
const payoutOfLegs = (legs: ReadonlyArray<Leg>): readonly [number, number] => {
  let [won, all] = [1, 1]
  for (const { market, outcome } of legs) {
    const [first, second] = market.payouts ?? [1, 1]
    won *= outcome === 0 ? first : second
    all *= first + second
  }
  return [won, all]
}

/** Wallets change combos without trading them: they remove resolved legs, split and merge them, and exchange baskets. */
export class ComboChanges {
  readonly #venue: Venue
  readonly #facts: Facts
  readonly #dice: Dice
  /** Called for every new combo. */
  readonly #listed: (combo: Market) => void
  readonly #hasCombo: (market: Market) => boolean
  /** Open combos by their legs. */
  readonly #byLegs = new Map<string, Market>()
  /** Open combos with a resolved leg, and those without one that can get another leg; both in order of listing. */
  readonly #partly: Array<Market> = []
  readonly #whole: Array<Market> = []
  /** Those with a resolved leg are dropped when they are found. */
  readonly #parts: Array<Parts> = []

  constructor(options: {
    readonly venue: Venue
    readonly facts: Facts
    readonly dice: Dice
    readonly listed: (combo: Market) => void
    readonly hasCombo: (market: Market) => boolean
  }) {
    this.#venue = options.venue
    this.#facts = options.facts
    this.#dice = options.dice
    this.#listed = options.listed
    this.#hasCombo = options.hasCombo
  }

  /** Adds a combo, whose legs are open. */
  add(combo: Market): void {
    const { legs = [] } = combo
    const key = keyOf(legs)
    if (!this.#byLegs.has(key)) this.#byLegs.set(key, combo)
    if (legs.length < maxLegs) this.#whole.push(combo)
  }

  /** A leg of these combos was resolved, which may have decided them. */
  legResolved(combos: ReadonlyArray<Market>): void {
    for (const combo of combos) {
      remove(this.#whole, combo)
      if (combo.payouts === undefined) insert(this.#partly, combo)
      else {
        remove(this.#partly, combo)
        this.#byLegs.delete(keyOf(combo.legs ?? []))
      }
    }
  }

  /** Every operation that is possible now, once. */
  run(block: number, at: Millis): void {
    const some = (combos: ReadonlyArray<Market>) => combos[this.#dice.below(Math.max(1, combos.length))]
    // A combo that this makes is not changed again at once.
    const candidates = this.#whole.length
    const partly = some(this.#partly)
    if (partly !== undefined) this.#compress(partly, block, at)
    const whole = this.#whole[this.#dice.below(Math.max(1, candidates))]
    if (whole === undefined) return
    if (this.#dice.chance(0.5)) this.#splitOnCondition(whole, block, at)
    else this.#convertToBasket(whole, block, at)
    if (this.#dice.chance(0.5)) this.#mergeParts(block, at)
  }

  #compress(market: Market, block: number, at: Millis): void {
    const legs = market.legs ?? []
    const outcome: 0 | 1 = this.#dice.chance(0.5) ? 0 : 1
    const holder = this.#holderOf(market.tokens[outcome])
    if (holder === undefined) return
    const { wallet, amount } = holder
    const [won, all] = payoutOfLegs(legs.filter((leg) => !isOpen(leg)))
    const created = payoutOf(amount, won, all)
    const paid = outcome === 0 ? 0 : amount - created
    const { combo, isNew } = this.#combo(legs.filter(isOpen), at)
    const given = [market.tokens[outcome]]
    const change: Change = {
      operation: "compress",
      market,
      given,
      received: [combo],
      outcome,
      wallet,
      amount,
      created,
      paid,
    }
    this.#apply(change, isNew ? [combo] : [], block, at)
  }

  #splitOnCondition(market: Market, block: number, at: Millis): void {
    const holder = this.#holderOf(market.tokens[0])
    const legs = market.legs ?? []
    const third = this.#venue.markets[this.#venue.open.at(this.#dice.unit() * this.#venue.open.total)]
    if (holder === undefined || third === undefined || third.closed || third.legs !== undefined) return
    if (legs.some((leg) => leg.market.event === third.event)) return
    const leg: Leg = { market: third, outcome: 0, isFirstUse: !this.#hasCombo(third) }
    const parts = [leg, opposite(leg)].map((each) => this.#combo([...used(legs), each], at))
    this.#exchange("split", market, 0, holder, parts, block, at)
    this.#parts.push({ operation: "merge", whole: market, outcome: 0, parts: parts.map(({ combo }) => combo) })
  }

  /** NO of a combo is: the first leg loses, or it wins and the second loses, and so on. */
  #convertToBasket(market: Market, block: number, at: Millis): void {
    const holder = this.#holderOf(market.tokens[1])
    const legs = used(market.legs ?? [])
    if (holder === undefined) return
    const parts = legs.map((leg, i) => this.#combo([...legs.slice(0, i), opposite(leg)], at))
    this.#exchange("convert_to_yes_basket", market, 1, holder, parts, block, at)
    const combos = parts.map(({ combo }) => combo)
    this.#parts.push({ operation: "merge_from_yes_basket", whole: market, outcome: 1, parts: combos })
  }

  #mergeParts(block: number, at: Millis): void {
    const { books } = this.#venue
    const index = this.#parts.findIndex(({ whole }) => (whole.legs ?? []).every(isOpen))
    const found = this.#parts[index]
    this.#parts.splice(0, found === undefined ? this.#parts.length : index + 1)
    const [first] = found?.parts ?? []
    if (found === undefined || first === undefined) return
    const given = found.parts.map(({ tokens }) => tokens[0])
    if (found.parts.some(({ payouts }) => payouts !== undefined)) return
    for (const position of books.holdersOf(first.tokens[0])) {
      const wallet = books.walletOf.get(position)
      const held = Math.min(...given.map((token) => books.held(wallet, token)))
      const amount = Math.floor(held / (2 * lot)) * lot
      if (amount === 0) continue
      const { operation, whole: market, outcome } = found
      const change = { operation, market, given, received: [market], outcome, wallet, amount, created: amount, paid: 0 }
      this.#apply(change, [], block, at)
      return
    }
  }

  /** Exchanges shares of a combo for as many of others. */
  #exchange(
    operation: ComboOperation,
    market: Market,
    from: 0 | 1,
    { wallet, amount }: { readonly wallet: number; readonly amount: Micro },
    parts: ReadonlyArray<{ readonly combo: Market; readonly isNew: boolean }>,
    block: number,
    at: Millis,
  ): void {
    const received = parts.map(({ combo }) => combo)
    const given = [market.tokens[from]]
    const prepared = parts.flatMap(({ combo, isNew }) => (isNew ? [combo] : []))
    const change = { operation, market, given, received, outcome: 0, wallet, amount, created: amount, paid: 0 } as const
    this.#apply(change, prepared, block, at)
  }

  #apply(change: Change, prepared: ReadonlyArray<Market>, block: number, at: Millis): void {
    const { operation, market, given, wallet, amount, created, paid } = change
    const received = change.received.map(({ tokens }) => tokens[change.outcome])
    const tx = this.#facts.add({
      kind: TxKind.combo,
      block,
      at,
      wallet,
      market: market.index,
      amount,
      second: created,
      extra: paid,
    })
    this.#facts.comboChanges.set(tx, { operation, given, received, prepared: prepared.map(({ index }) => index) })
    this.#venue.books.exchange(wallet, given, received, { amount, created, paid })
    for (const combo of prepared) this.#listed(combo)
  }

  /** A wallet with shares of a token, and half of what it has. */
  #holderOf(token: number) {
    const { books } = this.#venue
    const holders = [...books.holdersOf(token)].filter((position) => books.shares.get(position) >= 2 * lot)
    const position = holders[this.#dice.below(Math.max(1, holders.length))]
    if (position === undefined) return undefined
    const amount = Math.floor(books.shares.get(position) / (2 * lot)) * lot
    return { wallet: books.walletOf.get(position), amount }
  }

  /** The combo of some legs, which may exist. */
  #combo(legs: ReadonlyArray<Leg>, at: Millis) {
    const known = this.#byLegs.get(keyOf(legs))
    if (known !== undefined) return { combo: known, isNew: false }
    const combo = derivedCombo(this.#venue, at, legs)
    this.add(combo)
    return { combo, isNew: true }
  }
}
