import { hash, seedOf } from "../random.ts"

const meanMillis = 1750
const jitterMillis = 125

/** Number of the first block; the real chain had been running for years. */
export const firstBlock = 80_000_000

/**
 * Block times, every 1.5 to 2 s, as a pure function of the block number: neither the empty blocks of half a year nor
 * those of a downtime need to be stored.
 */
export class BlockClock {
  readonly #seed: number
  readonly #origin: number

  /** `origin` is the time of the first block in milliseconds. */
  constructor(seed: number, origin: number) {
    this.#seed = seedOf(seed, "blocks")
    this.#origin = origin
  }

  millisOf(block: number): number {
    const n = block - firstBlock
    return this.#origin + n * meanMillis + (n === 0 ? 0 : (hash(this.#seed, n) % (2 * jitterMillis + 1)) - jitterMillis)
  }

  /** In seconds, as in block headers. */
  timestampOf(block: number): number {
    return Math.floor(this.millisOf(block) / 1000)
  }

  /** The newest block at a moment. */
  blockAt(millis: number): number {
    let block = firstBlock + Math.max(0, Math.floor((millis - this.#origin) / meanMillis))
    while (this.millisOf(block + 1) <= millis) block += 1
    while (block > firstBlock && this.millisOf(block) > millis) block -= 1
    return block
  }
}
