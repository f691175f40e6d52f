import { Books } from "./Books.ts"
import { IdIndex } from "./IdIndex.ts"
import type { EventPlan, MarketPlan, Micro, Millis } from "./model.ts"
import { WeightedSet } from "./WeightedSet.ts"

/** A listed event. */
export interface Event {
  readonly index: number
  readonly id: string
  readonly plan: EventPlan
  readonly markets: ReadonlyArray<number>
  /** The last byte is zero; question ids count up from it. */
  readonly negRiskMarketId: string | undefined
}

/** A leg of a combo: an outcome of another market. */
export interface Leg {
  readonly market: Market
  readonly outcome: 0 | 1
  /** No earlier combo uses this market. */
  readonly isFirstUse: boolean
}

/** A listed market with its state. Prices are in 1/1000. */
export class Market {
  readonly index: number
  readonly event: Event
  readonly plan: MarketPlan
  /** Token indexes of the first and second outcome. */
  readonly tokens: readonly [number, number]
  /** Index within its event. */
  readonly questionIndex: number
  /**
   * Combos have legs. A market that stands for another one in the newer contracts has that as its only leg. Neither is part of
   * the venue's catalogue.
   */
  readonly legs: ReadonlyArray<Leg> | undefined
  /** Market estimate of the first outcome's probability. */
  mid: number
  /** Last trade price in terms of the first outcome. */
  last: number
  /** Number of matches. */
  trades = 0
  /** Prices have a finer tick once a trade came close to 0 or 1. */
  nearCertain = false
  volume: Micro = 0
  openInterest: Micro = 0
  closed = false
  /** Payout numerators of both outcomes, once resolved. */
  payouts: readonly [number, number] | undefined = undefined
  resolvedAt: Millis | undefined = undefined
  /** The transaction that resolves the market; for a combo, that of the leg which decides it. */
  resolvedBy: number | undefined = undefined
  readonly #ids: IdScheme
  #conditionId: string | undefined

  constructor(options: {
    readonly index: number
    readonly event: Event
    readonly plan: MarketPlan
    readonly tokens: readonly [number, number]
    readonly questionIndex: number
    readonly legs: ReadonlyArray<Leg> | undefined
    readonly ids: IdScheme
  }) {
    this.index = options.index
    this.event = options.event
    this.plan = options.plan
    this.tokens = options.tokens
    this.questionIndex = options.questionIndex
    this.legs = options.legs
    this.mid = options.plan.startPrice
    this.last = options.plan.startPrice
    this.#ids = options.ids
  }

  get id(): string {
    return String(firstMarketId + this.index)
  }

  get createdAt(): Millis {
    return this.event.plan.createdAt
  }

  get isCombo(): boolean {
    return this.plan.rule.kind === "combo"
  }

  get questionId(): string {
    return this.#ids.questionId(this)
  }

  /** Computed on first use. */
  get conditionId(): string {
    this.#conditionId ??= this.#ids.conditionId(this)
    return this.#conditionId
  }
}

/** An outcome token. */
export class Token {
  readonly index: number
  readonly market: Market
  readonly outcome: 0 | 1
  readonly #ids: IdScheme
  #hex: string | undefined
  #id: string | undefined

  constructor(index: number, market: Market, outcome: 0 | 1, ids: IdScheme) {
    this.index = index
    this.market = market
    this.outcome = outcome
    this.#ids = ids
  }

  /** 64 hexadecimal digits without prefix, computed on first use. */
  get hex(): string {
    this.#hex ??= this.#ids.tokenHex(this)
    return this.#hex
  }

  /** Decimal digits. */
  get id(): string {
    this.#id ??= BigInt(`0x${this.hex}`).toString()
    return this.#id
  }
}

/** Ids of the venue; the real ones are hashes computed by contracts. */
export interface IdScheme {
  readonly questionId: (market: Market) => string
  readonly negRiskMarketId: (event: EventPlan) => string
  readonly conditionId: (market: Market) => string
  readonly tokenHex: (token: Token) => string
}

const firstEventId = 40_000
const firstMarketId = 600_000

/** All listed events, markets and tokens. */
export class Venue {
  readonly events: Array<Event> = []
  readonly markets: Array<Market> = []
  readonly tokens: Array<Token> = []
  readonly bySlug = new Map<string, Event>()
  readonly books = new Books()
  /** Open markets by trading weight. */
  readonly open = new WeightedSet()
  readonly #byCondition = new IdIndex(
    this.markets,
    ({ conditionId }) => conditionId,
    ({ closed }) => !closed,
  )
  readonly #byHex = new IdIndex(
    this.tokens,
    ({ hex }) => hex,
    ({ market }) => !market.closed,
  )
  readonly #combosDecided = new Map<number, Array<Market>>()
  readonly #ids: IdScheme

  constructor(ids: IdScheme) {
    this.#ids = {
      ...ids,
      conditionId: (market) => this.#byCondition.add(ids.conditionId(market), market),
      tokenHex: (token) => this.#byHex.add(ids.tokenHex(token), token),
    }
  }

  /** Lists an event with its markets. */
  list(plan: EventPlan): Event {
    const event = this.#event(plan, this.events.length)
    this.events.push(event)
    this.bySlug.set(plan.slug, event)
    plan.markets.forEach((market, questionIndex) => {
      this.#add(event, market, questionIndex, undefined)
    })
    return event
  }

  /** Markets with legs have an event of their own that is not part of the catalogue. */
  listCombo(plan: EventPlan, legs: ReadonlyArray<Leg>): Market {
    return this.#add(this.#event(plan, -1), plan.markets[0] as MarketPlan, 0, legs)
  }

  close(market: Market): void {
    market.closed = true
    this.open.set(market.index, 0)
  }

  resolve(market: Market, payouts: readonly [number, number], tx: number, at: Millis): void {
    market.payouts = payouts
    market.resolvedAt = at
    market.resolvedBy = tx
    this.close(market)
    if (!market.isCombo) return
    const combos = this.#combosDecided.get(tx)
    if (combos === undefined) this.#combosDecided.set(tx, [market])
    else combos.push(market)
  }

  /** Combos that a transaction decides by resolving a leg. */
  combosDecidedBy(tx: number): ReadonlyArray<Market> {
    return this.#combosDecided.get(tx) ?? []
  }

  /** Finds a token by its decimal id. */
  tokenWithId(id: string): Token | undefined {
    if (!/^\d{1,78}$/.test(id)) return undefined
    return this.#byHex.find(BigInt(id).toString(16).padStart(64, "0"))
  }

  marketWithCondition(conditionId: string): Market | undefined {
    return this.#byCondition.find(conditionId.toLowerCase())
  }

  #event(plan: EventPlan, index: number): Event {
    const ids = this.#ids
    let negRiskMarketId: string | undefined
    return {
      index,
      id: index < 0 ? "" : String(firstEventId + index),
      plan,
      markets: plan.markets.map((_, questionIndex) => this.markets.length + questionIndex),
      get negRiskMarketId() {
        if (plan.negRisk) negRiskMarketId ??= ids.negRiskMarketId(plan)
        return negRiskMarketId
      },
    }
  }

  #add(event: Event, plan: MarketPlan, questionIndex: number, legs: ReadonlyArray<Leg> | undefined): Market {
    const index = this.markets.length
    const first = this.tokens.length
    const market = new Market({
      index,
      event,
      plan,
      tokens: [first, first + 1],
      questionIndex,
      legs,
      ids: this.#ids,
    })
    this.markets.push(market)
    for (const outcome of [0, 1] as const) {
      this.tokens.push(new Token(first + outcome, market, outcome, this.#ids))
      this.books.addToken()
    }
    return market
  }
}
