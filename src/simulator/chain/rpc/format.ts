import { hash, hexOf, seedOf } from "../../random.ts"
import type { Facts } from "../../world/Facts.ts"

export const quantity = (value: number): string => `0x${value.toString(16)}`

const digestWord = (digest: string, i: number) => Number.parseInt(digest.slice(2 + i * 8, 10 + i * 8), 16)

/** Made-up digits without prefix: fixed for one digest and purpose, different for every other. */
export const derived = (bytes: number, digest: string, purpose: string): string =>
  hexOf(bytes, seedOf(0, purpose), digestWord(digest, 0), digestWord(digest, 1))

const [emptyBloom, fullBloom] = ["0", "f"].map((digit) => `0x${digit.repeat(512)}`) as [string, string]

/** Not worth computing: a bloom filter may have false positives, but no false negatives. */
export const bloomOf = (hasLogs: boolean): string => (hasLogs ? fullBloom : emptyBloom)

const gwei = 1_000_000_000
const gasSeed = seedOf(0, "gas")

export const gasLimit = 60_000_000
export const tip = 30 * gwei

export const baseFeeOf = (block: number): number => 25 * gwei + (hash(gasSeed, block) % (10 * gwei))

/** Grows with the number of filled orders. */
export const gasOf = (facts: Facts, tx: number): number =>
  84_000 + facts.fillCount.get(tx) * 71_000 + (hash(gasSeed, tx, 1) % 9_000)
