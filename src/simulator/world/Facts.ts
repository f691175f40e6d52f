import { bytes, floats, ints, RowsByKey } from "./columns.ts"
import type { Micro } from "./model.ts"

/** Kinds of transactions. */
export const TxKind = {
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
  combo: 15,
} as const

/** What a wallet does with a combo without trading it, as the ledger of the venue names it. */
export type ComboOperation =
  | "compress"
  | "split"
  | "merge"
  | "extract"
  | "inject"
  | "convert_to_yes_basket"
  | "merge_from_yes_basket"
  | "wrap"
  | "unwrap"
  /** Between collateral and both outcomes. Outside of a sequence these are transactions of their own kind. */
  | "split_collateral"
  | "merge_collateral"

/** `amount` of each given token becomes `created` of each received one, and `paid` dollars (negative if they are spent). */
export interface ComboStep {
  readonly operation: ComboOperation
  /** Index of the combo that is split, merged into, exchanged or put together. */
  readonly market: number
  /** Indexes of tokens. */
  readonly given: ReadonlyArray<number>
  readonly received: ReadonlyArray<number>
  /** Indexes of combos that did not exist before. */
  readonly prepared: ReadonlyArray<number>
  readonly amount: Micro
  readonly created: Micro
  readonly paid: Micro
}

export const Side = { buy: 0, sell: 1 } as const

/** The `taker` of a taker's own order: contracts log the exchange there. */
export const exchangeAsTaker = -1

/**
 * The chain's history: one row per transaction in order of time, and one row per filled order. Logs, blocks and
 * receipts are derived from it on demand.
 */
export class Facts {
  readonly kind = bytes()
  /** Blocks since the first one; never decreases. */
  readonly block = ints()
  readonly at = floats()
  readonly wallet = ints()
  readonly market = ints()
  readonly token = ints()
  readonly amount = floats()
  /** The amount of the second outcome, if both are moved. */
  readonly second = floats()
  /** Depends on the kind: fee refund, payout, receiving wallet or bit set. */
  readonly extra = floats()
  readonly firstFill = ints()
  readonly fillCount = bytes()
  /** The steps of a change of combos, by transaction. Several are one sequence of the router. */
  readonly comboChanges = new Map<number, ReadonlyArray<ComboStep>>()
  readonly byMarket = new RowsByKey()
  readonly byWallet = new RowsByKey()

  readonly maker = ints()
  readonly taker = ints()
  readonly fillToken = ints()
  readonly side = bytes()
  readonly shares = floats()
  readonly usd = floats()
  readonly fee = floats()
  /** Index of the builder plus one; 0 for none. */
  readonly builder = bytes()
  readonly fillsByMaker = new RowsByKey()

  get length(): number {
    return this.kind.length
  }

  get fills(): number {
    return this.maker.length
  }

  add(tx: {
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
    this.kind.push(tx.kind)
    this.block.push(tx.block)
    this.at.push(tx.at)
    this.wallet.push(tx.wallet)
    this.market.push(tx.market)
    this.token.push(tx.token ?? -1)
    this.amount.push(tx.amount ?? 0)
    this.second.push(tx.second ?? 0)
    this.firstFill.push(this.fills)
    this.fillCount.push(0)
    this.byMarket.add(tx.market)
    this.byWallet.add(tx.wallet)
    return this.extra.push(tx.extra ?? 0)
  }

  /** Adds a filled order to the newest transaction. */
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

  /** The transaction of a fill. */
  txOf(fill: number): number {
    // Transactions without fills carry the index of the next fill, so the last match is the right one.
    return this.firstFill.lowerBound(fill + 1) - 1
  }
}

/** The price of the last resting order in a match, in 1/1000 of the taker's token: always a price of the book. */
export const tradePriceOf = (facts: Facts, tx: number): number => {
  const own = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
  const last = own - 1
  const price = Math.round((facts.usd.get(last) * 1000) / facts.shares.get(last))
  return facts.fillToken.get(last) === facts.fillToken.get(own) ? price : 1000 - price
}
