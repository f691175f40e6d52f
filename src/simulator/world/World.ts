import { Dice, seedOf } from "../random.ts"
import { Agenda } from "./Agenda.ts"
import { BlockClock, firstBlock } from "./blockClock.ts"
import type { Catalogue } from "./catalogue/index.ts"
import { Act, Facts } from "./Facts.ts"
import type { EventPlan, Millis, Wallet } from "./model.ts"
import { Oracle } from "./oracle.ts"
import type { Scale } from "./scale.ts"
import { convert, type Desk, match, merge, split, transfer, withdraw } from "./Trading.ts"
import { type ExchangeName, type Market, type Naming, Venue } from "./Venue.ts"
import { makersOf } from "./wallets.ts"

const day = 86_400_000
const twoHours = 7_200_000

/** Orders filled by an average match: its makers and the taker. */
const fillsPerMatch = 2.6

/** The first exchange settles the first two fifths of history. */
const firstGenerationShare = 0.4

/** A transaction is known this long before the earliest block that may take it. */
const mempoolMillis = 750

/** Creations are looked up in slices of this length. */
const slice = day / 4

type Plan =
  | { readonly kind: "create"; readonly event: EventPlan }
  | { readonly kind: "close"; readonly market: Market }
  | { readonly kind: "resolve"; readonly market: Market }
  | { readonly kind: "redeem"; readonly market: Market; readonly wallet: number }

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
  #listed: Millis
  #nextTrade: Millis
  #trades = 0
  #rate: number
  #blockFloor = 0

  constructor(options: WorldOptions) {
    const { seed, genesis, scale, wallets } = options
    this.#options = options
    this.start = genesis - scale.days * day
    this.now = this.start
    this.#listed = this.start
    this.#nextTrade = this.start
    this.#rate = scale.recentRate
    this.clock = new BlockClock(seed, this.start)
    this.oracle = new Oracle(seed)
    this.#dice = new Dice(seedOf(seed, "economy"))
    const cutOver = this.start + scale.days * day * firstGenerationShare
    this.venue = new Venue(options.naming, (at, negRisk): ExchangeName => {
      if (at < cutOver) return negRisk ? "negRisk1" : "ctf1"
      return negRisk ? "negRisk2" : "ctf2"
    })
    for (let i = 0; i < wallets.length; i++) this.venue.books.addWallet()
    this.#desk = {
      venue: this.venue,
      facts: this.facts,
      dice: this.#dice,
      makers: makersOf(wallets),
      wallets: wallets.length,
      builders: options.builders,
      blockFor: (at) => Math.max(this.#blockFloor, this.clock.blockAt(at + mempoolMillis) + 1 - firstBlock),
    }
  }

  /** Filled orders a second from now on. */
  setRate(rate: number): void {
    this.#rate = rate
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
    if (plan.kind === "create") this.#create(plan.event)
    else if (plan.kind === "close") this.venue.close(plan.market)
    else if (plan.kind === "resolve") this.#resolve(plan.market)
    else this.#redeem(plan.market, plan.wallet)
  }

  #create(plan: EventPlan): void {
    const event = this.venue.list(plan)
    for (const index of event.markets) {
      const market = this.venue.markets[index] as Market
      this.facts.add({
        kind: Act.prepare,
        block: this.#desk.blockFor(this.now),
        at: this.now,
        wallet: -1,
        market: index,
      })
      this.#agenda.add(Math.max(this.now, market.plan.endsAt), { kind: "close", market })
      this.#agenda.add(Math.max(this.now, market.plan.resolvesAt), { kind: "resolve", market })
    }
  }

  #payouts({ plan }: Market): readonly [number, number] {
    const { rule } = plan
    if (rule.kind === "fate") return rule.winner === "half" ? [1, 1] : rule.winner === 0 ? [1, 0] : [0, 1]
    const at = (moment: Millis) => {
      const second = Math.floor(moment / 1000)
      return rule.by === "twap60" ? this.oracle.twap60(rule.coin, second) : this.oracle.priceAt(rule.coin, second)
    }
    return at(rule.closeAt) >= at(rule.openAt) ? [1, 0] : [0, 1]
  }

  #resolve(market: Market): void {
    const payouts = this.#payouts(market)
    const sum = payouts[0] + payouts[1]
    market.payouts = payouts
    market.resolvedAt = this.now
    this.venue.close(market)
    this.facts.add({
      kind: Act.resolve,
      block: this.#desk.blockFor(this.now),
      at: this.now,
      wallet: -1,
      market: market.index,
    })
    const winners = new Set<number>()
    for (const outcome of [0, 1] as const) {
      const token = market.tokens[outcome]
      for (const position of this.venue.books.holdersOf(token)) {
        const keen = payouts[outcome] > 0 ? 0.9 : 0.15
        if (this.venue.books.shares.get(position) > 0 && this.#dice.chance(keen)) {
          winners.add(this.venue.books.walletOf.get(position))
        }
      }
      this.venue.books.resolve(token, payouts[outcome], sum, this.now)
    }
    for (const wallet of winners) {
      this.#agenda.add(this.now + 60_000 + this.#dice.skewed(0, 2 * day), { kind: "redeem", market, wallet })
    }
  }

  /** The whole holding of both outcomes at once, as the contract does. */
  #redeem(market: Market, wallet: number): void {
    const { books } = this.venue
    const [numerator0, numerator1] = market.payouts as readonly [number, number]
    const amount = books.held(wallet, market.tokens[0])
    const second = books.held(wallet, market.tokens[1])
    if (amount + second === 0) return
    const payout =
      books.redeem(wallet, market.tokens[0], numerator0, numerator0 + numerator1) +
      books.redeem(wallet, market.tokens[1], numerator1, numerator0 + numerator1)
    const at = this.now
    this.facts.add({
      kind: Act.redeem,
      block: this.#desk.blockFor(at),
      at,
      wallet,
      market: market.index,
      amount,
      second,
      extra: payout,
    })
  }

  #trade(): void {
    this.#trades += 1
    this.#nextTrade = this.#timeOfTrade(this.#trades)
    const { open } = this.venue
    if (open.total < 1e-9) return
    const market = this.venue.markets[open.at(this.#dice.unit() * open.total)]
    if (market === undefined || market.closed) return
    this.#drift(market)
    const roll = this.#dice.unit()
    if (roll < 0.93) match(this.#desk, market, this.now)
    else if (roll < 0.96) split(this.#desk, market, this.now)
    else if (roll < 0.975) merge(this.#desk, market, this.now)
    else if (roll < 0.985) transfer(this.#desk, market, this.now)
    else if (roll < 0.995) convert(this.#desk, market, this.now)
    else withdraw(this.#desk, this.now)
  }

  /** Up to two hours before genesis trades thicken evenly over time; after that they come at the rate. */
  #timeOfTrade(n: number): Millis {
    const { scale, genesis } = this.#options
    const recent = (twoHours / 1000) * scale.recentRate
    const planned = Math.ceil(((scale.fills - recent) * 1.12) / fillsPerMatch)
    const end = genesis - twoHours
    if (n < planned) return this.start + Math.floor((end - this.start) * Math.sqrt(n / planned))
    const gap = (1000 * fillsPerMatch) / this.#rate
    return Math.max(end, this.now) + Math.max(1, Math.round(gap * (0.5 + this.#dice.unit())))
  }

  /** Where the crowd now sees the chance of the first outcome. */
  #drift(market: Market): void {
    const { plan, createdAt } = market
    const noise = this.#dice.between(-12, 12)
    if (plan.rule.kind === "updown") {
      market.mid = clamp(this.#updownChance(market) + noise)
      return
    }
    const life = Math.min(1, (this.now - createdAt) / Math.max(1, plan.endsAt - createdAt))
    const fate = plan.rule.winner === "half" ? 500 : plan.rule.winner === 0 ? 1000 : 0
    const pull = life * life * life * life * 0.2
    market.mid = clamp(Math.round(market.mid + (fate - market.mid) * pull) + noise)
  }

  #updownChance({ plan }: Market): number {
    const { rule } = plan
    if (rule.kind !== "updown" || this.now <= rule.openAt) return 500
    const [open, spot] = [Math.floor(rule.openAt / 1000), Math.floor(this.now / 1000)].map((second) =>
      this.oracle.priceAt(rule.coin, second as number),
    ) as [number, number]
    const left = Math.max(1, (rule.closeAt - this.now) / 1000)
    const lead = (spot - open) / (open * 0.00004 * Math.sqrt(left))
    return 500 + Math.round((490 * lead) / (1 + Math.abs(lead)))
  }
}

const clamp = (mid: number) => Math.min(985, Math.max(15, mid))
