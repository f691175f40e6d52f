import { hash } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import type { Catalogue } from "../world/catalogue/index.ts"
import type { Micro, Millis } from "../world/model.ts"
import type { Event, Market } from "../world/Venue.ts"
import { iso, TextCache } from "./format.ts"
import { Listing } from "./Listing.ts"
import { type SpanName, TradeSums } from "./TradeSums.ts"

export const usd = (amount: Micro): number => amount / 1_000_000

/** Open markets of a large world, and those that each game in play, with the ten to come, adds. */
const [openMarkets, marketsPerGame] = [15_000, 130]

/** The public state of the venue at one time. */
export class GammaView {
  readonly sim: Simulation
  readonly catalogue: Catalogue
  readonly listing: Listing
  readonly trades: TradeSums
  /** About 2 KB each; enough for all open markets. */
  readonly marketTexts: TextCache
  /** The tags of events, about 1 KB each. */
  readonly tagTexts = new TextCache(15_000)
  /** When the world began, which is when its tags, series and teams were created. */
  readonly startText: string
  now: Millis = 0

  constructor(sim: Simulation, catalogue: Catalogue) {
    this.sim = sim
    this.catalogue = catalogue
    const { venue, facts, start } = sim.model.world
    this.startText = iso(start)
    this.marketTexts = new TextCache(openMarkets + marketsPerGame * sim.games)
    this.listing = new Listing(venue)
    this.trades = new TradeSums(facts, venue)
    this.refresh()
  }

  /** Advances the view to the current time. */
  refresh(): void {
    this.now = this.sim.now()
    this.listing.catchUp(this.now)
    this.trades.catchUp(this.sim.head, this.now)
  }

  isClosed(market: Market): boolean {
    return this.listing.marketClosesAt(market) <= this.now
  }

  /** Whether its book has orders. Trading ends long before the result. */
  isTrading(market: Market): boolean {
    return this.now < market.plan.endsAt && !this.isClosed(market)
  }

  isEventClosed({ index }: Event): boolean {
    return this.listing.eventClosesAt(index) <= this.now
  }

  /** Size of the open orders in USD: grows with trading activity, 0 after the end of trading. */
  liquidity(market: Market): number {
    if (!this.isTrading(market)) return 0
    const { index, plan } = market
    return Math.round((400 + plan.weight * 900) * (750 + (hash(index, 11) % 500))) / 1000
  }

  /** Best prices of the first outcome, in 1/1000. */
  quotes(market: Market): { readonly bid: number; readonly ask: number } {
    return this.sim.model.world.quotesAt(market, this.now)
  }

  /** Prices of both outcomes, 0 to 1: the midpoint, the last trade for an empty book, or the payout. */
  prices(market: Market): readonly [number, number] {
    if (this.isClosed(market) && market.payouts !== undefined) {
      const [first, second] = market.payouts
      return [first / (first + second), second / (first + second)]
    }
    if (!this.isTrading(market)) {
      const last = this.trades.last(market.index)
      return [last / 1000, (1000 - last) / 1000]
    }
    const { bid, ask } = this.quotes(market)
    return [(bid + ask) / 2000, (2000 - bid - ask) / 2000]
  }

  volume(market: Market): number {
    return usd(this.trades.volume(market.index))
  }

  recentVolume(market: Market, span: SpanName): number {
    return usd(this.trades.recentVolume(market.index, span))
  }

  sum(event: Event, of: (market: Market) => number): number {
    let total = 0
    for (const index of event.markets) total += of(this.sim.model.world.venue.markets[index] as Market)
    // Rounds away floating-point noise.
    return Math.round(total * 1e6) / 1e6
  }
}
