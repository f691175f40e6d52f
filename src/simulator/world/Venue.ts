import { Books } from "./Books.ts"
import type { EventPlan, MarketPlan, Micro, Millis } from "./model.ts"
import { WeightedSet } from "./WeightedSet.ts"

/** The contract that settles a market's matches. */
export type ExchangeName = "ctf1" | "negRisk1" | "ctf2" | "negRisk2"

/** An event that exists. */
export interface Event {
  readonly index: number
  readonly id: string
  readonly plan: EventPlan
  readonly markets: ReadonlyArray<number>
  /** Last byte zero; questions count up from it. */
  readonly negRiskMarketId: string | undefined
}

/** A market that exists, with what it has come to. Prices are in 1/1000. */
export class Market {
  readonly index: number
  readonly event: Event
  readonly plan: MarketPlan
  /** Tokens of the first and the second outcome. */
  readonly tokens: readonly [number, number]
  readonly exchange: ExchangeName
  /** Chance of the first outcome as the market sees it. */
  mid: number
  /** Price of the last trade in terms of the first outcome. */
  last: number
  volume: Micro = 0
  openInterest: Micro = 0
  closed = false
  /** Payout numerators of both outcomes, once resolved. */
  payouts: readonly [number, number] | undefined = undefined
  resolvedAt: Millis | undefined = undefined
  readonly #naming: Naming
  readonly #place: number
  #conditionId: string | undefined

  constructor(options: {
    readonly index: number
    readonly event: Event
    readonly plan: MarketPlan
    readonly tokens: readonly [number, number]
    readonly exchange: ExchangeName
    readonly place: number
    readonly naming: Naming
  }) {
    this.index = options.index
    this.event = options.event
    this.plan = options.plan
    this.tokens = options.tokens
    this.exchange = options.exchange
    this.mid = options.plan.startPrice
    this.last = options.plan.startPrice
    this.#place = options.place
    this.#naming = options.naming
  }

  get id(): string {
    return String(firstMarketId + this.index)
  }

  get createdAt(): Millis {
    return this.event.plan.createdAt
  }

  get questionId(): string {
    return this.#naming.questionId(this.event.index, this.index, this.event.negRiskMarketId, this.#place)
  }

  /** A hash, computed when first asked for. */
  get conditionId(): string {
    this.#conditionId ??= this.#naming.conditionId(this.questionId, this.event.plan.negRisk)
    return this.#conditionId
  }
}

/** An outcome token. Its id is a hash, computed when first asked for: most tokens are never looked at. */
export class Token {
  readonly index: number
  readonly market: Market
  readonly outcome: 0 | 1
  readonly #naming: Naming
  #hex: string | undefined
  #id: string | undefined

  constructor(index: number, market: Market, outcome: 0 | 1, naming: Naming) {
    this.index = index
    this.market = market
    this.outcome = outcome
    this.#naming = naming
  }

  /** 64 hexadecimal digits without prefix. */
  get hex(): string {
    this.#hex ??= this.#naming.tokenHex(this.market.conditionId, this.outcome, this.market.event.plan.negRisk)
    return this.#hex
  }

  /** Decimal digits. */
  get id(): string {
    this.#id ??= BigInt(`0x${this.hex}`).toString()
    return this.#id
  }
}

/** How the venue names things; the real ones are hashes that contracts compute. */
export interface Naming {
  readonly questionId: (event: number, market: number, negRiskMarketId: string | undefined, place: number) => string
  readonly negRiskMarketId: (event: number) => string
  readonly conditionId: (questionId: string, negRisk: boolean) => string
  readonly tokenHex: (conditionId: string, outcome: 0 | 1, negRisk: boolean) => string
}

const firstEventId = 40_000
const firstMarketId = 600_000

/** The listing of the venue: what exists, what is open, how busy it is. */
export class Venue {
  readonly events: Array<Event> = []
  readonly markets: Array<Market> = []
  readonly tokens: Array<Token> = []
  readonly bySlug = new Map<string, Event>()
  readonly books = new Books()
  /** Open markets by how much they are traded. */
  readonly open = new WeightedSet()
  readonly #naming: Naming
  readonly #exchangeAt: (at: Millis, negRisk: boolean) => ExchangeName

  constructor(naming: Naming, exchangeAt: (at: Millis, negRisk: boolean) => ExchangeName) {
    this.#naming = naming
    this.#exchangeAt = exchangeAt
  }

  /** Lists an event with its markets. */
  list(plan: EventPlan): Event {
    const index = this.events.length
    const negRiskMarketId = plan.negRisk ? this.#naming.negRiskMarketId(index) : undefined
    const event: Event = {
      index,
      id: String(firstEventId + index),
      plan,
      markets: plan.markets.map((_, place) => this.markets.length + place),
      negRiskMarketId,
    }
    this.events.push(event)
    this.bySlug.set(plan.slug, event)
    plan.markets.forEach((market, place) => {
      this.#listMarket(event, market, place)
    })
    return event
  }

  close(market: Market): void {
    market.closed = true
    this.open.set(market.index, 0)
  }

  #listMarket(event: Event, plan: MarketPlan, place: number): void {
    const index = this.markets.length
    const { negRisk, createdAt } = event.plan
    const first = this.tokens.length
    const exchange = this.#exchangeAt(createdAt, negRisk)
    const market = new Market({ index, event, plan, tokens: [first, first + 1], exchange, place, naming: this.#naming })
    this.markets.push(market)
    for (const outcome of [0, 1] as const) {
      this.tokens.push(new Token(first + outcome, market, outcome, this.#naming))
      this.books.addToken()
    }
    this.open.set(index, plan.weight)
  }
}
