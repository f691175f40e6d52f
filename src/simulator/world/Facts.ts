import { bytes, floats, ints } from "./columns.ts"
import { Threads } from "./Threads.ts"

/** What one transaction does. */
export const Act = {
  match: 1,
  split: 2,
  merge: 3,
  redeem: 4,
  convert: 5,
  transfer: 6,
  prepare: 7,
  resolve: 8,
  wrap: 9,
  unwrap: 10,
  migrate: 11,
  approve: 12,
  rebate: 13,
  reward: 14,
} as const

export const Side = { buy: 0, sell: 1 } as const

/** The taker of the taker's own order, as the contract logs it. */
export const exchange = -1

/**
 * Everything that ever happened on the chain, one row per transaction in order of time, and one row per filled order.
 * Logs, blocks and receipts are made from it when asked for.
 */
export class Facts {
  readonly kind = bytes()
  /** Blocks after the first one; only rises. */
  readonly block = ints()
  readonly at = floats()
  readonly wallet = ints()
  readonly market = ints()
  readonly token = ints()
  readonly amount = floats()
  /** The amount of the second outcome, where both are moved. */
  readonly second = floats()
  /** A second number or party: payout, receiver, bit set, first fill. */
  readonly extra = floats()
  readonly firstFill = ints()
  readonly fillCount = bytes()
  readonly byMarket = new Threads()
  readonly byWallet = new Threads()

  readonly maker = ints()
  readonly taker = ints()
  readonly fillToken = ints()
  readonly side = bytes()
  readonly shares = floats()
  readonly usd = floats()
  readonly fee = floats()
  /** Index of the builder plus one; 0 is none. */
  readonly builder = bytes()
  readonly fillsByMaker = new Threads()

  get length(): number {
    return this.kind.length
  }

  get fills(): number {
    return this.maker.length
  }

  add(act: {
    readonly kind: number
    readonly block: number
    readonly at: number
    readonly wallet: number
    readonly market: number
    readonly token?: number
    readonly amount?: number
    readonly second?: number
    readonly extra?: number
  }): number {
    this.kind.push(act.kind)
    this.block.push(act.block)
    this.at.push(act.at)
    this.wallet.push(act.wallet)
    this.market.push(act.market)
    this.token.push(act.token ?? -1)
    this.amount.push(act.amount ?? 0)
    this.second.push(act.second ?? 0)
    this.firstFill.push(this.fills)
    this.fillCount.push(0)
    this.byMarket.add(act.market)
    this.byWallet.add(act.wallet)
    return this.extra.push(act.extra ?? 0)
  }

  /** Adds a filled order to the newest act. */
  addFill(fill: {
    readonly maker: number
    readonly taker: number
    readonly token: number
    readonly side: number
    readonly shares: number
    readonly usd: number
    readonly fee: number
    readonly builder: number
  }): void {
    this.maker.push(fill.maker)
    this.taker.push(fill.taker)
    this.fillToken.push(fill.token)
    this.side.push(fill.side)
    this.shares.push(fill.shares)
    this.usd.push(fill.usd)
    this.fee.push(fill.fee)
    this.builder.push(fill.builder)
    this.fillsByMaker.add(fill.maker)
    this.fillCount.add(this.length - 1, 1)
  }

  /** The act that filled an order. */
  actOf(fill: number): number {
    // Acts without fills carry the number of the next one, so the act is the last of those that are not beyond it.
    return this.firstFill.lowerBound(fill + 1) - 1
  }
}
