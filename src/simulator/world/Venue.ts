import { Books } from "./Books.ts"
import type { EventPlan, MarketPlan, Micro, Millis } from "./model.ts"
import { WeightedSet } from "./WeightedSet.ts"

/** An event that exists. */
export interface Event {
  readonly index: number
  readonly id: string
  readonly plan: EventPlan
  readonly markets: ReadonlyArray<number>
  /** Last byte zero; questions count up from it. */
  readonly negRiskMarketId: string | undefined
}

/** A part of a combo: the outcome of another market. */
export interface Leg {
  readonly market: Market
  readonly outcome: 0 | 1
  /** No combo was made with this market before. */
  readonly isFirstUse: boolean
}

/** A market that exists, with what it has come to. Prices are in 1/1000. */
export class Market {
  readonly index: number
  readonly event: Event
  readonly plan: MarketPlan
  /** Tokens of the first and the second outcome. */
  readonly tokens: readonly [number, number]
  /** Place among the markets of its event. */
  readonly place: number
  /** What a combo is made of; only combos have legs, and only other markets are listed by the venue's catalogue. */
  readonly legs: ReadonlyArray<Leg> | undefined
  /** Chance of the first outcome as the market sees it. */
  mid: number
  /** Price of the last trade in terms of the first outcome. */
  last: number
  /** How many matches there were. */
  trades = 0
  /** Once a trade came near certainty prices have finer steps. */
  nearCertain = false
  volume: Micro = 0
  openInterest: Micro = 0
  closed = false
  /** Payout numerators of both outcomes, once resolved. */
  payouts: readonly [number, number] | undefined = undefined
  resolvedAt: Millis | undefined = undefined
  readonly #naming: Naming
  #conditionId: string | undefined

  constructor(options: {
    readonly index: number
    readonly event: Event
    readonly plan: MarketPlan
    readonly tokens: readonly [number, number]
    readonly place: number
    readonly legs: ReadonlyArray<Leg> | undefined
    readonly naming: Naming
  }) {
    this.index = options.index
    this.event = options.event
    this.plan = options.plan
    this.tokens = options.tokens
    this.place = options.place
    this.legs = options.legs
    this.mid = options.plan.startPrice
    this.last = options.plan.startPrice
    this.#naming = options.naming
  }

  get id(): string {
    return String(firstMarketId + this.index)
  }

  get createdAt(): Millis {
    return this.event.plan.createdAt
  }

  get questionId(): string {
    return this.#naming.questionId(this)
  }

  /** A hash, computed when first asked for. */
  get conditionId(): string {
    this.#conditionId ??= this.#naming.conditionId(this)
    return this.#conditionId
  }
}

/** An outcome token. */
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
    this.#hex ??= this.#naming.tokenHex(this)
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
  readonly questionId: (market: Market) => string
  readonly negRiskMarketId: (event: number) => string
  readonly conditionId: (market: Market) => string
  readonly tokenHex: (token: Token) => string
  /** The number of a token, told from its name or its condition's; whether it has that name is for the caller to check. */
  readonly tokenIndexIn: (hex: string) => number
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

  constructor(naming: Naming) {
    this.#naming = naming
  }

  /** Lists an event with its markets. */
  list(plan: EventPlan): Event {
    const event = this.#event(plan, this.events.length)
    this.events.push(event)
    this.bySlug.set(plan.slug, event)
    plan.markets.forEach((market, place) => {
      this.#add(event, market, place, undefined)
    })
    return event
  }

  /** A combo belongs to no event of the catalogue: its own has no place in it. */
  listCombo(plan: EventPlan, legs: ReadonlyArray<Leg>): Market {
    return this.#add(this.#event(plan, -1), plan.markets[0] as MarketPlan, 0, legs)
  }

  close(market: Market): void {
    market.closed = true
    this.open.set(market.index, 0)
  }

  /** By the decimal digits of its id. */
  tokenWithId(id: string): Token | undefined {
    if (!/^\d{1,78}$/.test(id)) return undefined
    const hex = BigInt(id).toString(16).padStart(64, "0")
    const token = this.tokens[this.#naming.tokenIndexIn(hex)]
    return token?.hex === hex ? token : undefined
  }

  marketWithCondition(conditionId: string): Market | undefined {
    const key = conditionId.toLowerCase()
    const market = this.tokens[this.#naming.tokenIndexIn(key.slice(2))]?.market
    return market?.conditionId === key ? market : undefined
  }

  #event(plan: EventPlan, index: number): Event {
    return {
      index,
      id: index < 0 ? "" : String(firstEventId + index),
      plan,
      markets: plan.markets.map((_, place) => this.markets.length + place),
      negRiskMarketId: plan.negRisk ? this.#naming.negRiskMarketId(index) : undefined,
    }
  }

  #add(event: Event, plan: MarketPlan, place: number, legs: ReadonlyArray<Leg> | undefined): Market {
    const index = this.markets.length
    const first = this.tokens.length
    const market = new Market({ index, event, plan, tokens: [first, first + 1], place, legs, naming: this.#naming })
    this.markets.push(market)
    for (const outcome of [0, 1] as const) {
      this.tokens.push(new Token(first + outcome, market, outcome, this.#naming))
      this.books.addToken()
    }
    return market
  }
}
