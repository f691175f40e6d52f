import { hash, seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import { type Coin, coins, type Tick } from "../world/oracle.ts"
import { encodeReport } from "./report.ts"

/** The feeds start before the first block, so that even the smallest world has a month of prices. */
const historySeconds = 31 * 86_400

const reportTtlSeconds = 30 * 86_400
/** From the 8 decimals of the oracle to the 18 of a report. */
const toReportScale = 10n ** 10n
const nativeFee = 109_000_000_000_000n
const linkFee = 24_700_000_000_000_000n
const configDigest = "0x00090d9e8d96765a0c49e03a6ae05c82e8f8de70cf179baa632f18313e54bd69"
const extraHash = `0x${"1".padStart(64, "0")}`
const signatureParities = `0x0101${"0".repeat(60)}`
const signatureSeeds = coins.map(({ feedId }) => seedOf(0, feedId))

const byFeedId = new Map(coins.map(({ feedId }, coin) => [feedId, coin]))

/** Index of the coin of a feed. */
export const coinOfFeed = (feedId: string): number | undefined => byFeedId.get(feedId.toLowerCase())

export const isFeedId = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)

const signatureBytes = 4 * 32
const scratch = Buffer.alloc(signatureBytes)

/** Random words. Written as bytes first, because formatting numbers as hexadecimal would dominate the cost. */
const signaturesOf = (coin: number, second: number): ((index: number) => string) => {
  const seed = signatureSeeds[coin] as number
  for (let at = 0; at < signatureBytes; at += 4) scratch.writeUInt32BE(hash(seed, second, at), at)
  const digits = scratch.toString("hex")
  return (index) => `0x${digits.slice(index * 64, index * 64 + 64)}`
}

/** A report in the source's JSON format. */
export const reportJson = (coin: number, { second, price, bid, ask }: Tick): string => {
  const { feedId } = coins[coin] as Coin
  const signature = signaturesOf(coin, second)
  const fullReport = encodeReport(
    {
      feedId,
      validFrom: second,
      observedAt: second,
      nativeFee,
      linkFee,
      expiresAt: second + reportTtlSeconds,
      price: BigInt(price) * toReportScale,
      bid: BigInt(bid) * toReportScale,
      ask: BigInt(ask) * toReportScale,
    },
    {
      context: [configDigest, `0x${second.toString(16).padStart(62, "0")}01`, extraHash],
      rs: [signature(0), signature(1)],
      ss: [signature(2), signature(3)],
      vs: signatureParities,
    },
  )
  return `{"feedID":"${feedId}","validFromTimestamp":${second},"observationsTimestamp":${second},"fullReport":"${fullReport}"}`
}

/** The data-streams ticks available at the current time. */
export class Feeds {
  readonly #sim: Simulation

  constructor(sim: Simulation) {
    this.#sim = sim
  }

  get first(): number {
    return Math.floor(this.#sim.model.world.start / 1000) - historySeconds
  }

  get last(): number {
    return Math.floor(this.#sim.now() / 1000)
  }

  at(coin: number, second: number): Tick | undefined {
    if (second < this.first || second > this.last) return undefined
    return this.#sim.model.world.oracle.tick(coin, second)
  }

  latest(coin: number): Tick | undefined {
    for (let second = this.last; second >= this.first; second--) {
      const tick = this.at(coin, second)
      if (tick !== undefined) return tick
    }
    return undefined
  }

  /** In order of time, starting at `from`. */
  page(coin: number, from: number, limit: number): ReadonlyArray<Tick> {
    const { last } = this
    const ticks: Array<Tick> = []
    for (let second = Math.max(from, this.first); second <= last && ticks.length < limit; second++) {
      const tick = this.at(coin, second)
      if (tick !== undefined) ticks.push(tick)
    }
    return ticks
  }
}
