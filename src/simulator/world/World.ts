import { Dice, seedOf } from "../random.ts"
import { BlockClock, firstBlock } from "./blockClock.ts"
import { type Catalogue, heatAt, nextHeatChange } from "./catalogue/index.ts"
import { ComboChanges, changeEvery } from "./comboChanges.ts"
import { comboEvery, listCombo } from "./combos.ts"
import { Crowd } from "./crowd.ts"
import { EventQueue } from "./EventQueue.ts"
import { Facts, TxKind } from "./Facts.ts"
import { MakerPayouts } from "./MakerPayouts.ts"
import type { EventPlan, Millis, Wallet } from "./model.ts"
import { Oracle } from "./oracle.ts"
import { type Book, bookAt, mirror, opposingLevels, quotesAt, tickOf } from "./orderBook.ts"
import { isComboDecided, Settlement } from "./Settlement.ts"
import type { Scale } from "./scale.ts"
import { match } from "./trading/match.ts"
import { convert, merge, split, transfer } from "./trading/positions.ts"
import { fund, type TradingContext, withdraw } from "./trading/TradingContext.ts"
import { type IdScheme, type Market, Venue } from "./Venue.ts"
import { indexRange, makerCount } from "./wallets.ts"

const day = 86_400_000
const twoHours = 7_200_000

/** Average orders filled per trade, including trades without a match. */
const fillsPerTrade = 3

/** The first exchange settles the first two fifths of history; combos exist in the last quarter. */
const firstGenerationShare = 0.4
const beforeCombosShare = 0.75

/** A transaction enters the mempool this long before the earliest block that may include it. */
const mempoolMillis = 750

/** Event creations are planned in slices of this length. */
const planningSlice = day / 4

type ScheduledStep =
  | { readonly kind: "create"; readonly event: EventPlan }
  | { readonly kind: "heat" | "close" | "resolve"; readonly market: Market }
  | { readonly kind: "redeem"; readonly market: Market; readonly wallet: number }
  | { readonly kind: "combo" | "combo-change" | "cut-over" | "payday" }

export interface WorldOptions {
  readonly seed: number
  readonly genesis: Millis
  readonly scale: Scale
  readonly wallets: ReadonlyArray<Wallet>
  readonly builders: number
  readonly catalogue: Catalogue
  readonly ids: IdScheme
}

/**
 * The economy: a pure function of its options and of the rates set along the way. It only moves forward and never
 * changes its past; the chain, the books and the listings are views of it.
 */
export class World {
  readonly start: Millis
  /** What happened until this moment was generated at once. */
  readonly genesis: Millis
  /** From this moment the second exchange settles. */
  readonly cutOver: Millis
  readonly clock: BlockClock
  readonly oracle: Oracle
  readonly venue: Venue
  readonly facts = new Facts()
  /** Everything up to this moment has happened. */
  now: Millis
  readonly #options: WorldOptions
  readonly #queue = new EventQueue<ScheduledStep>()
  readonly #dice: Dice
  readonly #trading: TradingContext
  readonly #crowd: Crowd
  readonly #settlement: Settlement
  readonly #payouts: MakerPayouts
  readonly #comboChanges: ComboChanges
  readonly #combosOf = new Map<Market, Array<Market>>()
  #listed: Millis
  #nextTrade: Millis
  #trades = 0
  #rate: number
  #blockFloor = 0

  constructor(options: WorldOptions) {
    const { seed, genesis, scale, wallets } = options
    this.#options = options
    this.genesis = genesis
    this.start = genesis - scale.days * day
    this.cutOver = this.start + scale.days * day * firstGenerationShare
    this.now = this.start
    this.#listed = this.start
    this.#nextTrade = this.start
    this.#rate = scale.recentRate
    this.clock = new BlockClock(seed, this.start)
    this.oracle = new Oracle(seed)
    this.venue = new Venue(options.ids)
    for (let i = 0; i < wallets.length; i++) this.venue.books.addWallet()
    this.#dice = new Dice(seedOf(seed, "economy"))
    this.#crowd = new Crowd(this.oracle)
    const { venue, facts, oracle } = this
    this.#settlement = new Settlement({ venue, facts, oracle, dice: this.#dice })
    const makers = makerCount(wallets)
    this.#payouts = new MakerPayouts({ venue, facts, dice: this.#dice, makers })
    this.#comboChanges = new ComboChanges({
      venue,
      facts,
      dice: new Dice(seedOf(seed, "combo changes")),
      listed: (combo) => this.#followLegs(combo),
      hasCombo: (market) => this.#combosOf.has(market),
      fund: (wallet, needed, at) => fund(this.#trading, wallet, needed, at),
    })
    this.#trading = {
      venue,
      facts,
      dice: this.#dice,
      makers,
      wallets: wallets.length,
      behaviours: wallets.map(({ behaviour }) => behaviour),
      whales: indexRange(wallets, "whale"),
      bots: indexRange(wallets, "bot"),
      finishedOneTimers: new Set(),
      builders: options.builders,
      cutOver: this.cutOver,
      blockFor: (at) => Math.max(this.#blockFloor, this.clock.blockAt(at + mempoolMillis) + 1 - firstBlock),
      opposingLevels: (market, outcome, buys, at) =>
        opposingLevels(market, outcome, buys, this.#crowd.midAt(market, at), at),
      approvedCombos: new Set(),
    }
    this.#queue.add(this.cutOver, { kind: "cut-over" })
    this.#queue.add(Math.ceil(this.cutOver / day) * day, { kind: "payday" })
    this.#queue.add(this.start + scale.days * day * beforeCombosShare, { kind: "combo" })
    this.#queue.add(this.start + scale.days * day * beforeCombosShare + 1, { kind: "combo-change" })
  }

  /** The order book of an outcome. */
  bookAt(market: Market, outcome: 0 | 1, at: Millis): Book {
    const book = bookAt(market, this.#crowd.midAt(market, at), at)
    return outcome === 0 ? book : mirror(book)
  }

  /** Best bid and ask of the first outcome, in 1/1000. */
  quotesAt(market: Market, at: Millis): { readonly bid: number; readonly ask: number } {
    return quotesAt(market, this.#crowd.midAt(market, at))
  }

  /** The tick size of a market, in 1/1000. */
  tickOf(market: Market): 1 | 10 {
    return tickOf(market)
  }

  /** Filled orders per second. */
  get rate(): number {
    return this.#rate
  }

  /** Takes effect now: a trade planned at the old rate moves up if the new rate is higher. */
  setRate(rate: number): void {
    this.#rate = rate
    this.#nextTrade = Math.min(this.#nextTrade, this.now + Math.ceil((1000 * fillsPerTrade) / rate))
  }

  /** Earlier blocks are already visible, so new transactions go into this block or later. */
  setBlockFloor(block: number): void {
    this.#blockFloor = block - firstBlock
  }

  /** Runs everything due up to and including a moment. */
  advanceTo(moment: Millis): void {
    this.#planCreations(moment)
    while (true) {
      const next = Math.min(this.#queue.next, this.#nextTrade)
      if (next > moment) break
      this.now = next
      if (this.#queue.next <= this.#nextTrade) this.#run(this.#queue.take()?.item as ScheduledStep)
      else this.#trade()
    }
    this.now = Math.max(this.now, moment)
  }

  #planCreations(moment: Millis): void {
    while (this.#listed <= moment) {
      const to = this.#listed + planningSlice
      for (const event of this.#options.catalogue.eventsCreated(this.#listed, to)) {
        this.#queue.add(event.createdAt, { kind: "create", event })
      }
      this.#listed = to
    }
  }

  #run(step: ScheduledStep): void {
    switch (step.kind) {
      case "create":
        for (const index of this.venue.list(step.event).markets) this.#open(this.venue.markets[index] as Market)
        break
      case "heat":
        this.#setHeat(step.market)
        break
      case "close":
        this.venue.close(step.market)
        break
      case "resolve":
        this.#resolve(step.market)
        break
      case "redeem":
        this.#settlement.redeem(step.market, step.wallet, this.#trading.blockFor(this.now), this.now)
        break
      case "combo":
        this.#addCombo()
        break
      case "combo-change":
        this.#queue.add(this.now + changeEvery, { kind: "combo-change" })
        this.#comboChanges.run(this.#trading.blockFor(this.now), this.now)
        break
      case "payday":
        this.#payouts.pay(this.#trading.blockFor(this.now), this.now)
        this.#queue.add(this.now + day, { kind: "payday" })
        break
      case "cut-over":
        this.venue.books.markCashAsLegacy()
        break
    }
  }

  #open(market: Market): void {
    const block = this.#trading.blockFor(this.now)
    this.facts.add({ kind: TxKind.prepare, block, at: this.now, wallet: -1, market: market.index })
    this.#setHeat(market)
    this.#queue.add(Math.max(this.now, market.plan.endsAt), { kind: "close", market })
    if (market.legs === undefined) {
      this.#queue.add(Math.max(this.now, market.plan.resolvesAt), { kind: "resolve", market })
    }
  }

  #setHeat(market: Market): void {
    const { plan, event } = market
    if (market.closed) return
    this.venue.open.set(market.index, plan.weight * heatAt(event.plan, plan, this.now))
    const next = nextHeatChange(event.plan, plan, this.now)
    if (next !== undefined) this.#queue.add(next, { kind: "heat", market })
  }

  #addCombo(): void {
    this.#queue.add(this.now + comboEvery, { kind: "combo" })
    const combo = listCombo(this.venue, this.#dice, this.now, (market) => this.#combosOf.has(market))
    if (combo === undefined) return
    this.#followLegs(combo)
    this.#comboChanges.add(combo)
    this.#open(combo)
  }

  /** The results of its legs decide a combo. */
  #followLegs(combo: Market): void {
    for (const { market } of combo.legs ?? []) {
      const combos = this.#combosOf.get(market)
      if (combos === undefined) this.#combosOf.set(market, [combo])
      else combos.push(combo)
    }
  }

  #resolve(market: Market): void {
    const tx = this.#settlement.report(market, this.#trading.blockFor(this.now), this.now)
    this.#settle(market, tx)
    const combos = this.#combosOf.get(market) ?? []
    this.#combosOf.delete(market)
    for (const combo of combos) if (combo.payouts === undefined && isComboDecided(combo)) this.#settle(combo, tx)
    const migrated = this.#comboChanges.resolved(market, combos)
    if (migrated === undefined) return
    // Somebody has the newer contracts take over the result.
    this.#settle(migrated, this.#settlement.report(migrated, this.#trading.blockFor(this.now), this.now))
  }

  #settle(market: Market, tx: number): void {
    for (const { at, wallet } of this.#settlement.resolve(market, tx, this.now)) {
      this.#queue.add(at, { kind: "redeem", market, wallet })
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
      if (match(this.#trading, market, this.now)) this.#crowd.learn(market, this.#dice, this.now)
    } else if (roll < 0.96) split(this.#trading, market, this.now)
    else if (roll < 0.975) merge(this.#trading, market, this.now)
    else if (roll < 0.985) transfer(this.#trading, market, this.now)
    else if (roll < 0.995) convert(this.#trading, market, this.now)
    else withdraw(this.#trading, this.now)
  }

  /** Trades grow denser until two hours before genesis; after that they come at the rate. */
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
