import { Act, Side } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import type { Market } from "../world/Venue.ts"
import { redeemed } from "./activityRows.ts"
import { filledBy } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"

/** How a wallet came to a token: what it paid for, and when anything last happened to it. */
export interface Entry {
  bought: Micro
  /** With fees. */
  paid: Micro
  fees: Micro
  /** What was collected for it after the result. */
  payout: Micro
  /** -1 when nothing is known. */
  firstAct: number
  lastAct: number
}

export const noEntry: Readonly<Entry> = { bought: 0, paid: 0, fees: 0, payout: 0, firstAct: -1, lastAct: -1 }

export type EntryOf = (wallet: number, token: number) => Readonly<Entry>

/** The tokens that an act moves, other than those of filled orders. */
const tokensMoved = ({ facts, venue }: Ledger, act: number): ReadonlyArray<number> => {
  const kind = facts.kind.get(act)
  if (kind === Act.transfer) return [facts.token.get(act)]
  const market = venue.markets[facts.market.get(act)]
  if (market === undefined || kind === Act.match) return []
  if (kind !== Act.convert) return market.tokens
  const given = BigInt(facts.extra.get(act))
  return market.event.markets.map((index, place) => {
    const { tokens } = venue.markets[index] as Market
    return (given >> BigInt(place)) & 1n ? tokens[1] : tokens[0]
  })
}

/** Adds up filled orders and other acts of one wallet or in one market, in whatever order they come. */
class Entries {
  readonly #ledger: Ledger
  readonly #entries = new Map<number, Entry>()
  /** The only market that counts; undefined for all markets of one wallet. */
  readonly #market: Market | undefined

  constructor(ledger: Ledger, market?: Market) {
    this.#ledger = ledger
    this.#market = market
  }

  get(wallet: number, token: number): Readonly<Entry> {
    return this.#entries.get(this.#keyOf(wallet, token)) ?? noEntry
  }

  addFill(fill: number, act: number): void {
    const { facts, sim } = this.#ledger
    const entry = this.#touch(facts.maker.get(fill), facts.fillToken.get(fill), act)
    if (facts.side.get(fill) !== Side.buy) return
    // The first exchange took its fee in shares.
    const fee = facts.at.get(act) < sim.made.world.cutOver ? 0 : facts.fee.get(fill)
    entry.bought += facts.shares.get(fill)
    entry.paid += facts.usd.get(fill) + fee
    entry.fees += fee
  }

  addAct(act: number): void {
    const { facts } = this.#ledger
    const wallet = facts.wallet.get(act)
    if (wallet < 0) return
    for (const token of tokensMoved(this.#ledger, act)) {
      if (this.#market?.tokens.includes(token) === false) continue
      const entry = this.#touch(wallet, token, act)
      if (facts.kind.get(act) === Act.redeem) {
        entry.payout += redeemed(this.#ledger, act, this.#ledger.token(token).outcome).cash
      } else if (facts.kind.get(act) === Act.split) {
        entry.bought += facts.amount.get(act)
        entry.paid += facts.amount.get(act) / 2
      }
    }
  }

  /** Small numbers are found much faster than large ones. */
  #keyOf(wallet: number, token: number): number {
    return this.#market === undefined ? token : wallet * 2 + this.#market.tokens.indexOf(token)
  }

  #touch(wallet: number, token: number, act: number): Entry {
    const key = this.#keyOf(wallet, token)
    const known = this.#entries.get(key)
    const entry = known ?? { ...noEntry }
    if (known === undefined) this.#entries.set(key, entry)
    entry.firstAct = known === undefined ? act : Math.min(entry.firstAct, act)
    entry.lastAct = Math.max(entry.lastAct, act)
    return entry
  }
}

/** All that a wallet ever did, summed up; what is new is added when it is asked for again. */
export class WalletHistory {
  readonly #ledger: Ledger
  readonly #wallet: number
  readonly #entries: Entries
  #nextFill = 0
  #nextAct = 0

  constructor(ledger: Ledger, wallet: number) {
    this.#ledger = ledger
    this.#wallet = wallet
    this.#entries = new Entries(ledger)
  }

  readonly entryOf: EntryOf = (wallet, token) => this.#entries.get(wallet, token)

  catchUp(): void {
    const { facts } = this.#ledger
    for (const fill of filledBy(facts, this.#wallet, this.#nextFill, facts.fills)) {
      this.#entries.addFill(fill, facts.actOf(fill))
    }
    for (let act = facts.byWallet.newest(this.#wallet); act >= this.#nextAct; act = facts.byWallet.previous(act)) {
      this.#entries.addAct(act)
    }
    this.#nextFill = facts.fills
    this.#nextAct = facts.length
  }
}

const mostKept = 100

/** The histories of the wallets that were asked about last. */
export class Histories {
  readonly #ledger: Ledger
  readonly #kept = new Map<number, WalletHistory>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  ofWallet(wallet: number): WalletHistory {
    const history = this.#kept.get(wallet) ?? new WalletHistory(this.#ledger, wallet)
    this.#kept.delete(wallet)
    this.#kept.set(wallet, history)
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value as number)
    history.catchUp()
    return history
  }

  /** Everybody who had to do with one market. */
  ofMarket(market: Market): EntryOf {
    const { facts } = this.#ledger
    const entries = new Entries(this.#ledger, market)
    for (const act of facts.byMarket.of(market.index)) {
      const first = facts.firstFill.get(act)
      for (let fill = first; fill < first + facts.fillCount.get(act); fill++) entries.addFill(fill, act)
      entries.addAct(act)
    }
    return (wallet, token) => entries.get(wallet, token)
  }
}
