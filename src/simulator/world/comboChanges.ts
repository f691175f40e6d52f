import type { Dice } from "../random.ts"
import { payoutOf } from "./Books.ts"
import { applyStep, exchangeStep, mergeIntoCollateral, type Part, splitCollateral } from "./comboSteps.ts"
import { migratedMarket } from "./combos.ts"
import { type ComboStep, type Facts, TxKind } from "./Facts.ts"
import type { Micro, Millis } from "./model.ts"
import { isOpen, OpenCombos } from "./OpenCombos.ts"
import { lot } from "./orderBook.ts"
import type { Leg, Market, Venue } from "./Venue.ts"

/** A combo is changed this often. */
export const changeEvery = 300_000

/** Tokens that one became, so that they can become one again. */
interface Parts {
  readonly operation: "merge" | "inject" | "merge_from_yes_basket"
  readonly whole: Market
  readonly outcome: 0 | 1
  readonly parts: ReadonlyArray<number>
}

/** A block and a moment in which something happens. */
interface Now {
  readonly block: number
  readonly at: Millis
}

interface Holder {
  readonly wallet: number
  readonly amount: Micro
}

const other = (outcome: 0 | 1): 0 | 1 => (outcome === 0 ? 1 : 0)
const opposite = ({ market, outcome }: Leg): Leg => ({ market, outcome: other(outcome), isFirstUse: false })
const used = (legs: ReadonlyArray<Leg>) => legs.map((leg) => ({ ...leg, isFirstUse: false }))

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

/**
 * Wallets change combos without trading them: they remove resolved legs, take combos apart and put them together again, and
 * turn combos of one leg into that leg and back. Some do several things in one sequence of the router.
 */
export class ComboChanges {
  readonly #venue: Venue
  readonly #facts: Facts
  readonly #dice: Dice
  /** Called for every new combo. */
  readonly #listed: (combo: Market) => void
  readonly #hasCombo: (market: Market) => boolean
  readonly #fund: (wallet: number, needed: Micro, at: Millis) => void
  readonly #open: OpenCombos
  /** Those with a resolved leg are dropped when they are found. */
  readonly #parts: Array<Parts> = []
  /** Markets of the newer contracts, by what they stand for; only open ones. */
  readonly #migrated = new Map<Market, Market>()

  constructor(options: {
    readonly venue: Venue
    readonly facts: Facts
    readonly dice: Dice
    readonly listed: (combo: Market) => void
    readonly hasCombo: (market: Market) => boolean
    /** Lets a wallet deposit what it needs. */
    readonly fund: (wallet: number, needed: Micro, at: Millis) => void
  }) {
    this.#venue = options.venue
    this.#facts = options.facts
    this.#dice = options.dice
    this.#listed = options.listed
    this.#hasCombo = options.hasCombo
    this.#fund = options.fund
    this.#open = new OpenCombos(options.venue)
  }

  /** Adds a combo, whose legs are open. */
  add(combo: Market): void {
    this.#open.add(combo)
  }

  /** A market was resolved, which may have decided these combos. Returns the market of the newer contracts for it. */
  resolved(market: Market, combos: ReadonlyArray<Market>): Market | undefined {
    this.#open.legResolved(combos)
    const migrated = this.#migrated.get(market)
    this.#migrated.delete(market)
    return migrated
  }

  /** Every operation that is possible now, once. */
  run(block: number, at: Millis): void {
    const now = { block, at }
    const { partly, whole, single } = this.#open
    const [reducible, divisible, wrapped] = [partly, whole, single].map((combos) => this.#some(combos))
    if (reducible !== undefined) this.#compress(reducible, now)
    if (divisible !== undefined) {
      const roll = this.#dice.unit()
      if (roll < 0.45) this.#splitOnCondition(divisible, now)
      else if (roll < 0.75) this.#convertToBasket(divisible, now)
      else this.#extract(divisible, now)
      if (this.#dice.chance(0.5)) this.#putTogether(now)
    }
    if (wrapped !== undefined && this.#dice.chance(0.3)) this.#unwrap(wrapped, now)
    else if (this.#dice.chance(0.3)) this.#wrap(now)
  }

  #some(markets: ReadonlyArray<Market>): Market | undefined {
    return markets[this.#dice.below(Math.max(1, markets.length))]
  }

  #compress(market: Market, now: Now): void {
    const legs = market.legs ?? []
    const outcome: 0 | 1 = this.#dice.chance(0.5) ? 0 : 1
    const holder = this.#holderOf(market.tokens[outcome])
    if (holder === undefined) return
    const { wallet, amount } = holder
    const [won, all] = payoutOfLegs(legs.filter((leg) => !isOpen(leg)))
    const created = payoutOf(amount, won, all)
    const rest = this.#part(legs.filter(isOpen), outcome, now)
    const step = exchangeStep("compress", market, [market.tokens[outcome]], [rest], amount)
    this.#apply([{ ...step, created, paid: outcome === 0 ? 0 : amount - created }], wallet, now)
  }

  #splitOnCondition(market: Market, now: Now): void {
    const holder = this.#holderOf(market.tokens[0])
    const legs = market.legs ?? []
    const third = this.#venue.markets[this.#venue.open.at(this.#dice.unit() * this.#venue.open.total)]
    if (holder === undefined || third === undefined || third.closed || third.legs !== undefined) return
    if (legs.some((leg) => leg.market.event === third.event)) return
    const leg: Leg = { market: third, outcome: 0, isFirstUse: !this.#hasCombo(third) }
    const parts = [leg, opposite(leg)].map((each) => this.#part([...used(legs), each], 0, now))
    const { wallet, amount } = holder
    const step = exchangeStep("split", market, [market.tokens[0]], parts, amount)
    // Some begin with collateral and have both done at once.
    const isBuilt = this.#dice.chance(0.4)
    if (isBuilt) this.#fund(wallet, amount, now.at)
    this.#apply(isBuilt ? [splitCollateral(market, amount), step] : [step], wallet, now)
    this.#parts.push({ operation: "merge", whole: market, outcome: 0, parts: step.received })
  }

  /** NO of a combo is: the first leg loses, or it wins and the second loses, and so on. */
  #convertToBasket(market: Market, now: Now): void {
    const legs = used(market.legs ?? [])
    const holder = this.#holderOf(market.tokens[1])
    if (holder === undefined) return
    const parts = legs.map((leg, i) => this.#part([...legs.slice(0, i), opposite(leg)], 0, now))
    const step = exchangeStep("convert_to_yes_basket", market, [market.tokens[1]], parts, holder.amount)
    this.#apply([step], holder.wallet, now)
    this.#parts.push({ operation: "merge_from_yes_basket", whole: market, outcome: 1, parts: step.received })
  }

  /** NO of a combo is: the other legs do not all win, or they do and this one loses. */
  #extract(market: Market, now: Now): void {
    const legs = used(market.legs ?? [])
    const holder = this.#holderOf(market.tokens[1])
    if (holder === undefined || legs.length < 2) return
    const index = this.#dice.below(legs.length)
    const parts = [
      this.#part(legs.toSpliced(index, 1), 1, now),
      this.#part(
        legs.map((leg, i) => (i === index ? opposite(leg) : leg)),
        0,
        now,
      ),
    ]
    const step = exchangeStep("extract", market, [market.tokens[1]], parts, holder.amount)
    this.#apply([step], holder.wallet, now)
    this.#parts.push({ operation: "inject", whole: market, outcome: 1, parts: step.received })
  }

  #putTogether(now: Now): void {
    const { books, tokens } = this.#venue
    const index = this.#parts.findIndex(({ whole }) => (whole.legs ?? []).every(isOpen))
    const found = this.#parts[index]
    this.#parts.splice(0, found === undefined ? this.#parts.length : index + 1)
    const [first] = found?.parts ?? []
    if (found === undefined || first === undefined) return
    const { operation, whole, outcome, parts } = found
    if (parts.some((token) => tokens[token]?.market.payouts !== undefined)) return
    const halfOf = (wallet: number, given: ReadonlyArray<number>) =>
      Math.floor(Math.min(...given.map((token) => books.held(wallet, token))) / (2 * lot)) * lot
    for (const position of books.holdersOf(first)) {
      const wallet = books.walletOf.get(position)
      const own = halfOf(wallet, parts)
      if (own === 0) continue
      // With the other outcome too, the wallet wants its collateral back.
      const both = halfOf(wallet, [...parts, whole.tokens[other(outcome)]])
      const step = exchangeStep(operation, whole, parts, [{ combo: whole, isNew: false, outcome }], both || own)
      this.#apply(both > 0 ? [step, mergeIntoCollateral(whole, both)] : [step], wallet, now)
      return
    }
  }

  /** A combo of one leg is that leg: YES its outcome, NO the other one. */
  #unwrap(combo: Market, now: Now): void {
    const [leg] = combo.legs ?? []
    const outcome: 0 | 1 = this.#dice.chance(0.7) ? 0 : 1
    const holder = this.#holderOf(combo.tokens[outcome])
    if (leg === undefined || holder === undefined) return
    const known = this.#migrated.get(leg.market)
    const migrated = known ?? migratedMarket(this.#venue, leg.market, now.at)
    this.#migrated.set(leg.market, migrated)
    const part = { combo: migrated, isNew: false, outcome: outcome === 0 ? leg.outcome : other(leg.outcome) }
    this.#apply([exchangeStep("unwrap", combo, [combo.tokens[outcome]], [part], holder.amount)], holder.wallet, now)
  }

  #wrap(now: Now): void {
    const migrated = this.#some([...this.#migrated.values()])
    const [leg] = used(migrated?.legs ?? [])
    const outcome: 0 | 1 = this.#dice.chance(0.5) ? 0 : 1
    const holder = migrated === undefined ? undefined : this.#holderOf(migrated.tokens[outcome])
    if (migrated === undefined || leg === undefined || holder === undefined) return
    const part = this.#part([{ ...leg, outcome }], 0, now)
    this.#apply(
      [exchangeStep("wrap", part.combo, [migrated.tokens[outcome]], [part], holder.amount)],
      holder.wallet,
      now,
    )
  }

  #apply(steps: ReadonlyArray<ComboStep>, wallet: number, { block, at }: Now): void {
    const { books, markets } = this.#venue
    const [first] = steps
    if (first === undefined) return
    const { market, amount, created: second } = first
    const extra = steps.reduce((sum, { paid }) => sum + paid, 0)
    const tx = this.#facts.add({ kind: TxKind.combo, block, at, wallet, market, amount, second, extra })
    this.#facts.comboChanges.set(tx, steps)
    for (const step of steps) applyStep(books, wallet, step, tx)
    for (const index of steps.flatMap(({ prepared }) => prepared)) this.#listed(markets[index] as Market)
  }

  /** A wallet with shares of a token, and half of what it has. */
  #holderOf(token: number): Holder | undefined {
    const { books } = this.#venue
    const holders = [...books.holdersOf(token)].filter((position) => books.shares.get(position) >= 2 * lot)
    const position = holders[this.#dice.below(Math.max(1, holders.length))]
    if (position === undefined) return undefined
    const amount = Math.floor(books.shares.get(position) / (2 * lot)) * lot
    return { wallet: books.walletOf.get(position), amount }
  }

  #part(legs: ReadonlyArray<Leg>, outcome: 0 | 1, { at }: Now): Part {
    return { ...this.#open.of(legs, at), outcome }
  }
}
