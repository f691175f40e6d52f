import { costShare } from "../world/Books.ts"
import { RowsByKey } from "../world/columns.ts"
import { exchangeAsTaker, Side, TxKind } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import { fillsByWallet } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"

/** What a wallet traded, paid and earned in a period. Amounts are in millionths. */
export interface EarningTotals {
  /** Realized PnL on markets and on combos. */
  markets: Micro
  combos: Micro
  trades: number
  shares: Micro
  usd: Micro
  fees: Micro
  refunds: Micro
  rebates: Micro
  rewards: Micro
  deposits: Micro
  withdrawals: Micro
}

export const zeroTotals: Readonly<EarningTotals> = {
  markets: 0,
  combos: 0,
  trades: 0,
  shares: 0,
  usd: 0,
  fees: 0,
  refunds: 0,
  rebates: 0,
  rewards: 0,
  deposits: 0,
  withdrawals: 0,
}

const names = Object.keys(zeroTotals) as ReadonlyArray<keyof EarningTotals>

export const addTotals = (sums: EarningTotals, more: Readonly<EarningTotals>): void => {
  for (const name of names) sums[name] += more[name]
}

const hour = 3_600

const totalByKind = new Map<number, keyof EarningTotals>([
  [TxKind.wrap, "deposits"],
  [TxKind.unwrap, "withdrawals"],
  [TxKind.rebate, "rebates"],
  [TxKind.reward, "rewards"],
])

/** Realized gains and losses by wallet. */
class Gains {
  readonly #ledger: Ledger
  readonly #byWallet = new RowsByKey()
  #indexed = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Newest first, down to `from`. */
  *of(wallet: number, from: number): Iterable<number> {
    const { eventPosition, walletOf } = this.#ledger.books
    for (; this.#indexed < eventPosition.length; this.#indexed++) {
      this.#byWallet.add(walletOf.get(eventPosition.get(this.#indexed)))
    }
    for (const event of this.#byWallet.of(wallet)) {
      if (event < from) return
      yield event
    }
  }
}

/** Hourly earnings of a wallet, extended incrementally. */
class WalletEarnings {
  readonly #ledger: Ledger
  readonly #wallet: number
  readonly #gains: Gains
  readonly #hours = new Map<number, EarningTotals>()
  #nextFill = 0
  #nextTx = 0
  #nextEvent = 0

  constructor(ledger: Ledger, wallet: number, gains: Gains) {
    this.#ledger = ledger
    this.#wallet = wallet
    this.#gains = gains
  }

  /** Hours with activity in order, keyed by the second in which they end. */
  hours(): ReadonlyArray<readonly [end: number, sums: Readonly<EarningTotals>]> {
    return [...this.#hours].sort(([a], [b]) => a - b).map(([index, sums]) => [(index + 1) * hour, sums])
  }

  total(): Readonly<EarningTotals> {
    const total = { ...zeroTotals }
    for (const sums of this.#hours.values()) addTotals(total, sums)
    return total
  }

  catchUp(): void {
    const { facts, books } = this.#ledger
    for (const fill of fillsByWallet(facts, this.#wallet, this.#nextFill, facts.fills)) this.#addFill(fill)
    for (let tx = facts.byWallet.newest(this.#wallet); tx >= this.#nextTx; tx = facts.byWallet.previous(tx)) {
      const name = totalByKind.get(facts.kind.get(tx))
      if (name !== undefined) this.#hourOf(tx)[name] += facts.amount.get(tx)
    }
    for (const event of this.#gains.of(this.#wallet, this.#nextEvent)) {
      const { market } = this.#ledger.token(books.tokenOf.get(books.eventPosition.get(event)))
      const name = market.legs === undefined ? "markets" : "combos"
      this.#hourOf(books.eventTx.get(event))[name] += books.eventAmount.get(event)
    }
    this.#nextFill = facts.fills
    this.#nextTx = facts.length
    this.#nextEvent = books.eventPosition.length
  }

  #addFill(fill: number): void {
    const { facts, sim } = this.#ledger
    const tx = facts.txOf(fill)
    const sums = this.#hourOf(tx)
    const [usd, shares] = [facts.usd.get(fill), facts.shares.get(fill)]
    sums.trades += 1
    sums.shares += shares
    sums.usd += usd
    if (facts.at.get(tx) >= sim.model.world.cutOver) sums.fees += facts.fee.get(fill)
    else if (facts.taker.get(fill) === exchangeAsTaker) this.#addOldFee(sums, fill, facts.extra.get(tx))
  }

  /** The first exchange charged its fee in the asset the taker received and refunded most of it, in shares for a buyer. */
  #addOldFee(sums: EarningTotals, fill: number, refund: Micro): void {
    const { facts } = this.#ledger
    if (facts.side.get(fill) === Side.buy) {
      sums.refunds += costShare(facts.usd.get(fill), refund, facts.shares.get(fill))
    } else {
      sums.refunds += refund
      sums.fees += facts.fee.get(fill) - refund
    }
  }

  #hourOf(tx: number): EarningTotals {
    const index = Math.floor(this.#ledger.timeOf(tx) / hour)
    const existing = this.#hours.get(index)
    if (existing !== undefined) return existing
    const sums = { ...zeroTotals }
    this.#hours.set(index, sums)
    return sums
  }
}

const maxCached = 100

/** LRU cache of wallet earnings. */
export class Earnings {
  readonly #ledger: Ledger
  readonly #gains: Gains
  readonly #cached = new Map<number, WalletEarnings>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#gains = new Gains(ledger)
  }

  ofWallet(wallet: number): WalletEarnings {
    const earnings = this.#cached.get(wallet) ?? new WalletEarnings(this.#ledger, wallet, this.#gains)
    this.#cached.delete(wallet)
    this.#cached.set(wallet, earnings)
    if (this.#cached.size > maxCached) this.#cached.delete(this.#cached.keys().next().value as number)
    earnings.catchUp()
    return earnings
  }
}
