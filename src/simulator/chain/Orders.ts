import { hash, seedOf } from "../random.ts"
import { exchangeAsTaker, type Facts, Side } from "../world/Facts.ts"
import type { Wallet, WalletKind } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { zeroWord } from "./abi.ts"
import { type FirstOrder, firstOrderHash, type LaterOrder, laterOrderHash, type Order } from "./orderHash.ts"

const signatureTypes: Readonly<Record<WalletKind, number>> = { eoa: 0, proxy: 1, safe: 2, deposit: 3 }

/** No order spans more fills of the chain than this. */
const orderLifetimeFills = 256
const longestRestMillis = 3_600_000
const longestDelayMillis = 500
/** About 200 bytes each. */
const maxHashes = 50_000
const restingSeed = seedOf(0, "resting orders")
/** What the first exchanges charged takers, of which the fee module gave most back. */
const firstFeeRateBps = 1_000

const priceOf = (facts: Facts, fill: number) => Math.round((facts.usd.get(fill) / facts.shares.get(fill)) * 10_000)

const haveSameTerms = (facts: Facts, one: number, other: number): boolean =>
  facts.fillToken.get(one) === facts.fillToken.get(other) &&
  facts.side.get(one) === facts.side.get(other) &&
  priceOf(facts, one) === priceOf(facts, other)

/** The orders behind the fills, with the hashes that their owners signed. */
export class Orders {
  readonly #world: World
  readonly #wallets: ReadonlyArray<Wallet>
  readonly #builders: ReadonlyArray<string>
  readonly #seed: number
  /** By first fill: the logs of a new block are read several times. */
  readonly #hashes = new Map<number, string>()
  #firstOfLater: number | undefined

  constructor(world: World, wallets: ReadonlyArray<Wallet>, builders: ReadonlyArray<string>, seed: number) {
    this.#world = world
    this.#wallets = wallets
    this.#builders = builders
    this.#seed = seed
  }

  /** The hash of a fill's order. */
  hashOf(fill: number): string {
    const first = this.#firstFillOf(fill)
    let found = this.#hashes.get(first)
    if (found === undefined) {
      found = this.#isLater(first)
        ? laterOrderHash(this.#laterOrderOf(first))
        : firstOrderHash(this.#firstOrderOf(first))
      // Evicting single entries of a Map walks over all entries deleted before.
      if (this.#hashes.size >= maxHashes) this.#hashes.clear()
      this.#hashes.set(first, found)
    }
    return found
  }

  /** The order of a fill on a later exchange. */
  of(fill: number): LaterOrder {
    return this.#laterOrderOf(this.#firstFillOf(fill))
  }

  /** 64 digits; zeros for none. */
  builderOf(fill: number): string {
    return this.#builders[this.#world.facts.builder.get(fill) - 1]?.slice(2) ?? zeroWord
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
    return {
      salt: hash(this.#seed, first, 1) * 0x10000 + (hash(this.#seed, first, 2) % 0x10000),
      maker: wallet.address,
      signer: wallet.kind === "deposit" ? wallet.address : wallet.owner,
      token: venue.tokens[facts.fillToken.get(first)] as Token,
      makerAmount: side === Side.buy ? usd : shares,
      takerAmount: side === Side.buy ? shares : usd,
      side,
      signatureType: signatureTypes[wallet.kind],
    }
  }

  #firstOrderOf(first: number): FirstOrder {
    const order = this.#orderOf(first)
    const isCharged = this.#isTaker(first) && order.token.market.plan.fees !== undefined
    return { ...order, feeRateBps: isCharged ? firstFeeRateBps : 0 }
  }

  #laterOrderOf(first: number): LaterOrder {
    const { facts } = this.#world
    const age = hash(restingSeed, first, 2) % (this.#isTaker(first) ? longestDelayMillis : longestRestMillis)
    const timestamp = Math.floor(facts.at.get(facts.txOf(first))) - age
    return { ...this.#orderOf(first), timestamp, builder: this.builderOf(first) }
  }

  /** Whether a later exchange filled it. */
  #isLater(fill: number): boolean {
    if (this.#firstOfLater === undefined) {
      const { facts, cutOver } = this.#world
      const tx = facts.at.lowerBound(cutOver)
      if (tx === facts.length) return false
      this.#firstOfLater = facts.firstFill.get(tx)
    }
    return fill >= this.#firstOfLater
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
    const isLater = this.#isLater(fill)
    for (let other = facts.fillsByMaker.previous(fill); other >= oldest; other = facts.fillsByMaker.previous(other)) {
      if (this.#isLater(other) !== isLater) break
      if (!this.#isTaker(other) && haveSameTerms(facts, other, fill)) found.push(other)
    }
    return found.reverse()
  }
}
