import { Dice, seedOf } from "../random.ts"
import { Agenda } from "./Agenda.ts"
import { BlockClock, firstBlock } from "./blockClock.ts"
import { type Catalogue, heatAt, nextHeatChange } from "./catalogue/index.ts"
import { comboEvery, listCombo } from "./combos.ts"
import { Crowd } from "./crowd.ts"
import { Act, Facts } from "./Facts.ts"
import type { EventPlan, Millis, Wallet } from "./model.ts"
import { Oracle } from "./oracle.ts"
import { type Book, bookAround, metBy, mirror, quotesAround, tickOf } from "./orderBook.ts"
import { Payroll } from "./Payroll.ts"
import { isDecided, Settlement } from "./Settlement.ts"
import type { Scale } from "./scale.ts"
import type { Desk } from "./trading/Desk.ts"
import { withdraw } from "./trading/funding.ts"
import { match } from "./trading/match.ts"
import { convert, merge, split, transfer } from "./trading/positions.ts"
import { type Market, type Naming, Venue } from "./Venue.ts"
import { makersOf, placesOf } from "./wallets.ts"

const day = 86_400_000
const twoHours = 7_200_000

/** Orders filled by an average trade, now and then one being no match at all. */
const fillsPerTrade = 3

/** The first exchange settles the first two fifths of history; combos are there in the last quarter. */
const firstGenerationShare = 0.4
const beforeCombosShare = 0.75

/** A transaction is known this long before the earliest block that may take it. */
const mempoolMillis = 750

/** Creations are looked up in slices of this length. */
const slice = day / 4

type Plan =
  | { readonly kind: "create"; readonly event: EventPlan }
  | { readonly kind: "heat" | "close" | "resolve"; readonly market: Market }
  | { readonly kind: "redeem"; readonly market: Market; readonly wallet: number }
  | { readonly kind: "combo" | "cut-over" | "payday" }

export interface WorldOptions {
  readonly seed: number
  readonly genesis: Millis
  readonly scale: Scale
  readonly wallets: ReadonlyArray<Wallet>
  readonly builders: number
  readonly catalogue: Catalogue
  readonly naming: Naming
}

/**
 * The economy: a pure function of its options and of the rates set along the way. It only moves forward, and what
 * has happened stays; the chain, the books and the lists are views of it.
 */
export class World {
  readonly start: Millis
  /** From here on the second exchange settles. */
  readonly cutOver: Millis
  readonly clock: BlockClock
  readonly oracle: Oracle
  readonly venue: Venue
  readonly facts = new Facts()
  /** Everything up to here has happened. */
  now: Millis
  readonly #options: WorldOptions
  readonly #agenda = new Agenda<Plan>()
  readonly #dice: Dice
  readonly #desk: Desk
  readonly #crowd: Crowd
  readonly #settlement: Settlement
  readonly #payroll: Payroll
  readonly #combosOf = new Map<Market, Array<Market>>()
  #listed: Millis
  #nextTrade: Millis
  #trades = 0
  #rate: number
  #blockFloor = 0

  constructor(options: WorldOptions) {
    const { seed, genesis, scale, wallets } = options
    this.#options = options
    this.start = genesis - scale.days * day
    this.cutOver = this.start + scale.days * day * firstGenerationShare
    this.now = this.start
    this.#listed = this.start
    this.#nextTrade = this.start
    this.#rate = scale.recentRate
    this.clock = new BlockClock(seed, this.start)
    this.oracle = new Oracle(seed)
    this.venue = new Venue(options.naming)
    for (let i = 0; i < wallets.length; i++) this.venue.books.addWallet()
    this.#dice = new Dice(seedOf(seed, "economy"))
    this.#crowd = new Crowd(this.oracle)
    const { venue, facts, oracle } = this
    this.#settlement = new Settlement({ venue, facts, oracle, dice: this.#dice })
    const makers = makersOf(wallets)
    this.#payroll = new Payroll({ venue, facts, dice: this.#dice, makers })
    this.#desk = {
      venue,
      facts,
      dice: this.#dice,
      makers,
      wallets: wallets.length,
      behaviours: wallets.map(({ behaviour }) => behaviour),
      whales: placesOf(wallets, "whale"),
      bots: placesOf(wallets, "bot"),
      gone: new Set(),
      builders: options.builders,
      cutOver: this.cutOver,
      blockFor: (at) => Math.max(this.#blockFloor, this.clock.blockAt(at + mempoolMillis) + 1 - firstBlock),
      metBy: (market, outcome, buys, at) => metBy(market, outcome, buys, this.#crowd.midAt(market, at), at),
      approvedCombos: new Set(),
    }
    this.#agenda.add(this.cutOver, { kind: "cut-over" })
    this.#agenda.add(Math.ceil(this.cutOver / day) * day, { kind: "payday" })
    this.#agenda.add(this.start + scale.days * day * beforeCombosShare, { kind: "combo" })
  }

  /** The orders that wait for an outcome of a market. */
  bookAt(market: Market, outcome: 0 | 1, at: Millis): Book {
    const book = bookAround(market, this.#crowd.midAt(market, at), at)
    return outcome === 0 ? book : mirror(book)
  }

  /** The best prices of the first outcome, in 1/1000. */
  quotesAt(market: Market, at: Millis): { readonly bid: number; readonly ask: number } {
    return quotesAround(market, this.#crowd.midAt(market, at))
  }

  /** The smallest step of a market's prices, in 1/1000. */
  tickOf(market: Market): 1 | 10 {
    return tickOf(market)
  }

  /** Filled orders a second. */
  get rate(): number {
    return this.#rate
  }

  /** From now on; what the old rate had planned for later comes as soon as the new one would have it. */
  setRate(rate: number): void {
    this.#rate = rate
    this.#nextTrade = Math.min(this.#nextTrade, this.now + Math.ceil((1000 * fillsPerTrade) / rate))
  }

  /** From now on nothing goes into a block before this one: those before have been shown. */
  setBlockFloor(block: number): void {
    this.#blockFloor = block - firstBlock
  }

  /** Lets everything happen up to and including a moment. */
  advanceTo(moment: Millis): void {
    this.#planCreations(moment)
    while (true) {
      const next = Math.min(this.#agenda.next, this.#nextTrade)
      if (next > moment) break
      this.now = next
      if (this.#agenda.next <= this.#nextTrade) this.#happen(this.#agenda.take()?.what as Plan)
      else this.#trade()
    }
    this.now = Math.max(this.now, moment)
  }

  #planCreations(moment: Millis): void {
    while (this.#listed <= moment) {
      const to = this.#listed + slice
      for (const event of this.#options.catalogue.eventsCreated(this.#listed, to)) {
        this.#agenda.add(event.createdAt, { kind: "create", event })
      }
      this.#listed = to
    }
  }

  #happen(plan: Plan): void {
    switch (plan.kind) {
      case "create":
        for (const index of this.venue.list(plan.event).markets) this.#open(this.venue.markets[index] as Market)
        break
      case "heat":
        this.#setHeat(plan.market)
        break
      case "close":
        this.venue.close(plan.market)
        break
      case "resolve":
        this.#resolve(plan.market)
        break
      case "redeem":
        this.#settlement.redeem(plan.market, plan.wallet, this.#desk.blockFor(this.now), this.now)
        break
      case "combo":
        this.#combine()
        break
      case "payday":
        this.#payroll.pay(this.#desk.blockFor(this.now), this.now)
        this.#agenda.add(this.now + day, { kind: "payday" })
        break
      case "cut-over":
        this.venue.books.keepAsLegacy()
        break
    }
  }

  #open(market: Market): void {
    const block = this.#desk.blockFor(this.now)
    this.facts.add({ kind: Act.prepare, block, at: this.now, wallet: -1, market: market.index })
    this.#setHeat(market)
    this.#agenda.add(Math.max(this.now, market.plan.endsAt), { kind: "close", market })
    if (market.legs === undefined) {
      this.#agenda.add(Math.max(this.now, market.plan.resolvesAt), { kind: "resolve", market })
    }
  }

  #setHeat(market: Market): void {
    const { plan, event } = market
    if (market.closed) return
    this.venue.open.set(market.index, plan.weight * heatAt(event.plan, plan, this.now))
    const next = nextHeatChange(event.plan, plan, this.now)
    if (next !== undefined) this.#agenda.add(next, { kind: "heat", market })
  }

  #combine(): void {
    this.#agenda.add(this.now + comboEvery, { kind: "combo" })
    const combo = listCombo(this.venue, this.#dice, this.now, (market) => this.#combosOf.has(market))
    if (combo === undefined) return
    for (const { market } of combo.legs ?? []) {
      const known = this.#combosOf.get(market)
      if (known === undefined) this.#combosOf.set(market, [combo])
      else known.push(combo)
    }
    this.#open(combo)
  }

  #resolve(market: Market): void {
    if (market.payouts !== undefined) return
    for (const { at, wallet } of this.#settlement.resolve(market, this.#desk.blockFor(this.now), this.now)) {
      this.#agenda.add(at, { kind: "redeem", market, wallet })
    }
    const combos = this.#combosOf.get(market) ?? []
    this.#combosOf.delete(market)
    for (const combo of combos) {
      if (isDecided(combo)) this.#agenda.add(this.now + 30_000, { kind: "resolve", market: combo })
    }
  }

  #trade(): void {
    this.#trades += 1
    this.#nextTrade = this.#timeOfTrade(this.#trades)
    const { open } = this.venue
    if (open.total < 1e-9) return
    const market = this.venue.markets[open.at(this.#dice.unit() * open.total)]
    if (market === undefined || market.closed) return
    const roll = this.#dice.unit()
    if (roll < 0.93) {
      if (match(this.#desk, market, this.now)) this.#crowd.learn(market, this.#dice, this.now)
    } else if (roll < 0.96) split(this.#desk, market, this.now)
    else if (roll < 0.975) merge(this.#desk, market, this.now)
    else if (roll < 0.985) transfer(this.#desk, market, this.now)
    else if (roll < 0.995) convert(this.#desk, market, this.now)
    else withdraw(this.#desk, this.now)
  }

  /** Up to two hours before genesis trades thicken evenly over time; after that they come at the rate. */
  #timeOfTrade(n: number): Millis {
    const { scale, genesis } = this.#options
    const recent = (twoHours / 1000) * scale.recentRate
    const planned = Math.ceil(((scale.fills - recent) * 1.26) / fillsPerTrade)
    const end = genesis - twoHours
    if (n < planned) return this.start + Math.floor((end - this.start) * Math.sqrt(n / planned))
    const gap = (1000 * fillsPerTrade) / this.#rate
    return Math.max(end, this.now) + Math.max(1, Math.round(gap * (0.5 + this.#dice.unit())))
  }
}
