import { LazyIndex } from "../gamma/LazyIndex.ts"
import type { Simulation } from "../Simulation.ts"
import type { Books } from "../world/Books.ts"
import { firstBlock } from "../world/blockClock.ts"
import type { Facts } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Event, Market, Token, Venue } from "../world/Venue.ts"

/** Acts from the first to before the second. */
export type ActRange = readonly [from: number, to: number]

/** What the service knows of the venue: everything in the blocks that have been made. */
export class Ledger {
  readonly sim: Simulation
  readonly facts: Facts
  readonly venue: Venue
  readonly books: Books
  readonly #byAddress: ReadonlyMap<string, Wallet>
  readonly #byQuestion: LazyIndex<Market>

  constructor(sim: Simulation) {
    this.sim = sim
    this.facts = sim.made.world.facts
    this.venue = sim.made.world.venue
    this.books = this.venue.books
    this.#byAddress = new Map(sim.made.wallets.map((wallet) => [wallet.address.toLowerCase(), wallet]))
    this.#byQuestion = new LazyIndex(this.venue.markets, ({ questionId }) => questionId)
  }

  /** Acts below this are in blocks. */
  get end(): number {
    return this.facts.block.lowerBound(this.sim.head - firstBlock + 1)
  }

  get seconds(): number {
    return Math.floor(this.sim.now() / 1000)
  }

  walletWith(address: string): Wallet | undefined {
    return this.#byAddress.get(address.toLowerCase())
  }

  wallet(index: number): Wallet {
    return this.sim.made.wallets[index] as Wallet
  }

  token(index: number): Token {
    return this.venue.tokens[index] as Token
  }

  market(index: number): Market {
    return this.venue.markets[index] as Market
  }

  /** Ids count up from the first. */
  eventWithId(id: string): Event | undefined {
    const event = this.venue.events[Number(id) - Number(this.venue.events[0]?.id)]
    return event?.id === id && event.plan.createdAt <= this.sim.now() ? event : undefined
  }

  marketWith(conditionId: string): Market | undefined {
    return this.#shown(this.venue.marketWithCondition(conditionId))
  }

  marketWithQuestion(questionId: string): Market | undefined {
    return this.#shown(this.#byQuestion.find(questionId.toLowerCase()))
  }

  /** The second of an act's block. */
  timeOf(act: number): number {
    return this.sim.made.world.clock.timestampOf(this.facts.block.get(act) + firstBlock)
  }

  /** The acts whose blocks were made within these seconds, both included. */
  actsWithin(start: number | undefined, end: number | undefined): ActRange {
    return [
      start === undefined ? 0 : this.#firstActFrom(start),
      end === undefined || end >= this.seconds ? this.end : Math.min(this.end, this.#firstActFrom(end + 1)),
    ]
  }

  #shown(market: Market | undefined): Market | undefined {
    return market !== undefined && market.createdAt <= this.sim.now() ? market : undefined
  }

  #firstActFrom(second: number): number {
    const { clock, start } = this.sim.made.world
    if (second * 1000 <= start) return 0
    if (second > this.seconds) return this.end
    return this.facts.block.lowerBound(clock.blockAt(second * 1000 - 1) + 1 - firstBlock)
  }
}
