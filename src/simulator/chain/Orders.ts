import { hash, hexOf, seedOf } from "../random.ts"
import { exchangeAsTaker, type Facts, Side } from "../world/Facts.ts"
import type { Wallet, WalletKind } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { prefixed, zeroWord } from "./abi.ts"
import { type Order, orderHash } from "./orderHash.ts"

const signatureTypes: Readonly<Record<WalletKind, number>> = { eoa: 0, proxy: 1, safe: 2, deposit: 3 }

/** No order spans more fills of the chain than this. */
const orderLifetimeFills = 256
const longestRestMillis = 3_600_000
const longestDelayMillis = 500
/** About 200 bytes each. */
const maxHashes = 50_000
const restingSeed = seedOf(0, "resting orders")

const priceOf = (facts: Facts, fill: number) => Math.round((facts.usd.get(fill) / facts.shares.get(fill)) * 10_000)

const haveSameTerms = (facts: Facts, one: number, other: number): boolean =>
  facts.fillToken.get(one) === facts.fillToken.get(other) &&
  facts.side.get(one) === facts.side.get(other) &&
  priceOf(facts, one) === priceOf(facts, other)

/**
 * The orders behind the fills. Those filled since genesis have their real hashes, so that matches in the mempool and their
 * fills agree. Nobody saw the older ones pending, and hashing them would take several times as long as their logs.
 */
export class Orders {
  readonly #world: World
  readonly #wallets: ReadonlyArray<Wallet>
  readonly #builders: ReadonlyArray<string>
  readonly #seed: number
  /** By first fill: the logs of a new block are read several times. */
  readonly #hashes = new Map<number, string>()
  #firstSinceGenesis: number | undefined

  constructor(world: World, wallets: ReadonlyArray<Wallet>, builders: ReadonlyArray<string>, seed: number) {
    this.#world = world
    this.#wallets = wallets
    this.#builders = builders
    this.#seed = seed
  }

  /** The hash of a fill's order. */
  hashOf(fill: number): string {
    const first = this.#firstFillOf(fill)
    if (!this.#isSinceGenesis(first)) return prefixed(this.#madeUpHash(first))
    let found = this.#hashes.get(first)
    if (found === undefined) {
      found = orderHash(this.#orderOf(first))
      // Evicting single entries of a Map walks over all entries deleted before.
      if (this.#hashes.size >= maxHashes) this.#hashes.clear()
      this.#hashes.set(first, found)
    }
    return found
  }

  /** The order of a fill. */
  of(fill: number): Order {
    return this.#orderOf(this.#firstFillOf(fill))
  }

  /** 64 digits; zeros for none. */
  builderOf(fill: number): string {
    return this.#builders[this.#world.facts.builder.get(fill) - 1]?.slice(2) ?? zeroWord
  }

  #madeUpHash(first: number): string {
    return hexOf(32, this.#seed, first)
  }

  /** How many times as large a resting order is as its first fill. */
  #timesFirst(first: number): number {
    return this.#isTaker(first) ? 1 : 1 + (hash(restingSeed, first, 1) % 10)
  }

  #isTaker(fill: number): boolean {
    return this.#world.facts.taker.get(fill) === exchangeAsTaker
  }

  #orderOf(first: number): Order {
    const { facts, venue } = this.#world
    const wallet = this.#wallets[facts.maker.get(first)] as Wallet
    const side = facts.side.get(first)
    const times = this.#timesFirst(first)
    const [usd, shares] = [facts.usd.get(first) * times, facts.shares.get(first) * times]
    const age = hash(restingSeed, first, 2) % (this.#isTaker(first) ? longestDelayMillis : longestRestMillis)
    return {
      salt: Number.parseInt(this.#madeUpHash(first).slice(0, 12), 16),
      maker: wallet.address,
      signer: wallet.kind === "deposit" ? wallet.address : wallet.owner,
      token: venue.tokens[facts.fillToken.get(first)] as Token,
      makerAmount: side === Side.buy ? usd : shares,
      takerAmount: side === Side.buy ? shares : usd,
      side,
      signatureType: signatureTypes[wallet.kind],
      timestamp: Math.floor(facts.at.get(facts.txOf(first))) - age,
      builder: this.builderOf(first),
    }
  }

  #isSinceGenesis(fill: number): boolean {
    if (this.#firstSinceGenesis === undefined) {
      const { facts, genesis } = this.#world
      const tx = facts.at.lowerBound(genesis)
      if (tx === facts.length) return false
      this.#firstSinceGenesis = facts.firstFill.get(tx)
    }
    return fill >= this.#firstSinceGenesis
  }

  /**
   * The first fill of the order that a fill belongs to. Nearby fills of one maker with the same token, side and price are
   * partial fills of one resting order until it is filled; a taker's order is filled at once.
   */
  #firstFillOf(fill: number): number {
    if (this.#isTaker(fill)) return fill
    const { facts } = this.#world
    const earlier = this.#earlierFills(fill)
    if (earlier.length === 0) return fill
    let first = fill
    let left = 0
    for (const each of [...earlier, fill]) {
      const shares = facts.shares.get(each)
      if (shares > left) {
        first = each
        left = shares * this.#timesFirst(each)
      }
      left -= shares
    }
    return first
  }

  /** Fills that may be of the same order, oldest first. */
  #earlierFills(fill: number): ReadonlyArray<number> {
    const { facts } = this.#world
    const found: Array<number> = []
    const oldest = fill - (fill % orderLifetimeFills)
    const isSinceGenesis = this.#isSinceGenesis(fill)
    for (let other = facts.fillsByMaker.previous(fill); other >= oldest; other = facts.fillsByMaker.previous(other)) {
      if (this.#isSinceGenesis(other) !== isSinceGenesis) break
      if (!this.#isTaker(other) && haveSameTerms(facts, other, fill)) found.push(other)
    }
    return found.reverse()
  }
}
