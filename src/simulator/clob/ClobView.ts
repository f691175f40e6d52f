import type { Simulation } from "../Simulation.ts"
import type { Facts } from "../world/Facts.ts"
import type { Millis } from "../world/model.ts"
import type { Book } from "../world/orderBook.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { lastTradeOf, priceFor, type Trade } from "./trades.ts"

/** Best prices of one outcome in 1/1000; undefined for an empty side. */
export interface Best {
  readonly bid: number | undefined
  readonly ask: number | undefined
}

export const bestOf = ({ bids, asks }: Book): Best => ({ bid: bids[0]?.price, ask: asks[0]?.price })

/** The same prices for the other outcome. */
export const mirroredBest = ({ bid, ask }: Best): Best => ({
  bid: ask === undefined ? undefined : 1000 - ask,
  ask: bid === undefined ? undefined : 1000 - bid,
})

/** Order books at the current time. Combos trade by request for quote and have no book. */
export class ClobView {
  readonly sim: Simulation
  readonly #world: World

  constructor(sim: Simulation) {
    this.sim = sim
    this.#world = sim.model.world
  }

  get facts(): Facts {
    return this.#world.facts
  }

  get markets(): ReadonlyArray<Market> {
    return this.#world.venue.markets
  }

  market(conditionId: string): Market | undefined {
    const market = this.#world.venue.marketWithCondition(conditionId)
    return market?.legs === undefined ? market : undefined
  }

  token(id: string): Token | undefined {
    const token = this.#world.venue.tokenWithId(id)
    return token?.market.legs === undefined ? token : undefined
  }

  tokensOf({ tokens }: Market): readonly [Token, Token] {
    const [first, second] = tokens
    return [this.#world.venue.tokens[first] as Token, this.#world.venue.tokens[second] as Token]
  }

  isResolved({ payouts }: Market): boolean {
    return payouts !== undefined
  }

  acceptsOrders(market: Market): boolean {
    return !this.isResolved(market) && this.sim.now() < market.plan.endsAt
  }

  /** In 1/1000. */
  tick(market: Market): 1 | 10 {
    return this.#world.tickOf(market)
  }

  /** Without trades a book changes only on whole seconds, so socket updates can reproduce it. */
  book({ market, outcome }: Token): Book {
    return this.#world.bookAt(market, outcome, this.#second())
  }

  bookChangedAt(market: Market): Millis {
    return Math.max(this.#second(), this.lastTrade(market)?.at ?? 0)
  }

  lastTrade({ index }: Market): Trade | undefined {
    return lastTradeOf(this.facts, index, this.sim.now())
  }

  /** In 1/1000; undefined before the first trade. */
  lastPrice(token: Token): number | undefined {
    const trade = this.lastTrade(token.market)
    return trade && priceFor(token, trade)
  }

  #second(): Millis {
    return Math.floor(this.sim.now() / 1000) * 1000
  }
}
