import { LazyIndex } from "../gamma/Listing.ts"
import type { Simulation } from "../Simulation.ts"
import type { Books } from "../world/Books.ts"
import { firstBlock } from "../world/blockClock.ts"
import type { Facts } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Event, Market, Token, Venue } from "../world/Venue.ts"

/** A half-open range of transactions. */
export type TxRange = readonly [from: number, to: number]

/** The venue as of the latest block. */
export class Ledger {
  readonly sim: Simulation
  readonly facts: Facts
  readonly venue: Venue
  readonly books: Books
  readonly #byAddress: ReadonlyMap<string, Wallet>
  readonly #byQuestion: LazyIndex<Market>

  constructor(sim: Simulation) {
    this.sim = sim
    this.facts = sim.model.world.facts
    this.venue = sim.model.world.venue
    this.books = this.venue.books
    this.#byAddress = new Map(sim.model.wallets.map((wallet) => [wallet.address.toLowerCase(), wallet]))
    this.#byQuestion = new LazyIndex(this.venue.markets, ({ questionId }) => questionId)
  }

  /** Transactions below this are in blocks. */
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
    return this.sim.model.wallets[index] as Wallet
  }

  token(index: number): Token {
    return this.venue.tokens[index] as Token
  }

  market(index: number): Market {
    return this.venue.markets[index] as Market
  }

  /** Ids are consecutive. */
  eventWithId(id: string): Event | undefined {
    const event = this.venue.events[Number(id) - Number(this.venue.events[0]?.id)]
    return event?.id === id && event.plan.createdAt <= this.sim.now() ? event : undefined
  }

  marketWith(conditionId: string): Market | undefined {
    return this.#visible(this.venue.marketWithCondition(conditionId))
  }

  marketWithQuestion(questionId: string): Market | undefined {
    return this.#visible(this.#byQuestion.find(questionId.toLowerCase()))
  }

  /** The block time of a transaction, in seconds. */
  timeOf(tx: number): number {
    return this.sim.model.world.clock.timestampOf(this.facts.block.get(tx) + firstBlock)
  }

  /** The transactions with block times in these seconds, inclusive. */
  txsWithin(start: number | undefined, end: number | undefined): TxRange {
    return [
      start === undefined ? 0 : this.#firstTxFrom(start),
      end === undefined || end >= this.seconds ? this.end : Math.min(this.end, this.#firstTxFrom(end + 1)),
    ]
  }

  #visible(market: Market | undefined): Market | undefined {
    return market !== undefined && market.createdAt <= this.sim.now() ? market : undefined
  }

  #firstTxFrom(second: number): number {
    const { clock, start } = this.sim.model.world
    if (second * 1000 <= start) return 0
    if (second > this.seconds) return this.end
    return this.facts.block.lowerBound(clock.blockAt(second * 1000 - 1) + 1 - firstBlock)
  }
}
