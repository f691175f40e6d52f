import { costShare } from "../world/Books.ts"
import { Act, exchange, Side } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import { Threads } from "../world/Threads.ts"
import { filledBy } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"

/** What a wallet traded, paid and earned in some time. Amounts are whole numbers of 10⁻⁶. */
export interface Sums {
  /** Realized on markets, and on combos. */
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

export const noSums: Readonly<Sums> = {
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

const names = Object.keys(noSums) as ReadonlyArray<keyof Sums>

export const addTo = (sums: Sums, more: Readonly<Sums>): void => {
  for (const name of names) sums[name] += more[name]
}

const hour = 3_600

const sumOfKind = new Map<number, keyof Sums>([
  [Act.wrap, "deposits"],
  [Act.unwrap, "withdrawals"],
  [Act.rebate, "rebates"],
  [Act.reward, "rewards"],
])

/** The gains and losses of each wallet. */
class Gains {
  readonly #ledger: Ledger
  readonly #byWallet = new Threads()
  #seen = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** The newest first, down to `from`. */
  *of(wallet: number, from: number): Iterable<number> {
    const { eventPosition, walletOf } = this.#ledger.books
    for (; this.#seen < eventPosition.length; this.#seen++) {
      this.#byWallet.add(walletOf.get(eventPosition.get(this.#seen)))
    }
    for (const event of this.#byWallet.of(wallet)) {
      if (event < from) return
      yield event
    }
  }
}

/** What a wallet earned, hour by hour; what is new is added when it is asked for again. */
export class WalletEarnings {
  readonly #ledger: Ledger
  readonly #wallet: number
  readonly #gains: Gains
  readonly #hours = new Map<number, Sums>()
  #nextFill = 0
  #nextAct = 0
  #nextEvent = 0

  constructor(ledger: Ledger, wallet: number, gains: Gains) {
    this.#ledger = ledger
    this.#wallet = wallet
    this.#gains = gains
  }

  /** Hours in which anything happened, the first first, by the second in which they end. */
  hours(): ReadonlyArray<readonly [end: number, sums: Readonly<Sums>]> {
    return [...this.#hours].sort(([a], [b]) => a - b).map(([place, sums]) => [(place + 1) * hour, sums])
  }

  total(): Readonly<Sums> {
    const total = { ...noSums }
    for (const sums of this.#hours.values()) addTo(total, sums)
    return total
  }

  catchUp(): void {
    const { facts, books } = this.#ledger
    for (const fill of filledBy(facts, this.#wallet, this.#nextFill, facts.fills)) this.#addFill(fill)
    for (let act = facts.byWallet.newest(this.#wallet); act >= this.#nextAct; act = facts.byWallet.previous(act)) {
      const name = sumOfKind.get(facts.kind.get(act))
      if (name !== undefined) this.#hourOf(act)[name] += facts.amount.get(act)
    }
    for (const event of this.#gains.of(this.#wallet, this.#nextEvent)) {
      const { market } = this.#ledger.token(books.tokenOf.get(books.eventPosition.get(event)))
      const name = market.legs === undefined ? "markets" : "combos"
      this.#hourOf(books.eventAct.get(event))[name] += books.eventAmount.get(event)
    }
    this.#nextFill = facts.fills
    this.#nextAct = facts.length
    this.#nextEvent = books.eventPosition.length
  }

  #addFill(fill: number): void {
    const { facts, sim } = this.#ledger
    const act = facts.actOf(fill)
    const sums = this.#hourOf(act)
    const [usd, shares] = [facts.usd.get(fill), facts.shares.get(fill)]
    sums.trades += 1
    sums.shares += shares
    sums.usd += usd
    if (facts.at.get(act) >= sim.made.world.cutOver) sums.fees += facts.fee.get(fill)
    else if (facts.taker.get(fill) === exchange) this.#addOldFee(sums, fill, facts.extra.get(act))
  }

  /** The first exchange took its fee in what the taker received, and gave most of it back: in shares for a buyer. */
  #addOldFee(sums: Sums, fill: number, refund: Micro): void {
    const { facts } = this.#ledger
    if (facts.side.get(fill) === Side.buy) {
      sums.refunds += costShare(facts.usd.get(fill), refund, facts.shares.get(fill))
    } else {
      sums.refunds += refund
      sums.fees += facts.fee.get(fill) - refund
    }
  }

  #hourOf(act: number): Sums {
    const place = Math.floor(this.#ledger.timeOf(act) / hour)
    const known = this.#hours.get(place)
    if (known !== undefined) return known
    const sums = { ...noSums }
    this.#hours.set(place, sums)
    return sums
  }
}

const mostKept = 100

/** The earnings of the wallets that were asked about last. */
export class Earnings {
  readonly #ledger: Ledger
  readonly #gains: Gains
  readonly #kept = new Map<number, WalletEarnings>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#gains = new Gains(ledger)
  }

  ofWallet(wallet: number): WalletEarnings {
    const earnings = this.#kept.get(wallet) ?? new WalletEarnings(this.#ledger, wallet, this.#gains)
    this.#kept.delete(wallet)
    this.#kept.set(wallet, earnings)
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value as number)
    earnings.catchUp()
    return earnings
  }
}
