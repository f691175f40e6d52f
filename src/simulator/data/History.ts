import { Side, TxKind } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import type { Market } from "../world/Venue.ts"
import { redemptionOf } from "./activityRows.ts"
import { fillsByWallet } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"

/** How a wallet acquired a token, and when it last changed. */
interface PositionHistory {
  bought: Micro
  /** Including fees. */
  paid: Micro
  fees: Micro
  /** Redeemed after the resolution. */
  payout: Micro
  /** -1 when unknown. */
  firstTx: number
  lastTx: number
}

export const noHistory: Readonly<PositionHistory> = {
  bought: 0,
  paid: 0,
  fees: 0,
  payout: 0,
  firstTx: -1,
  lastTx: -1,
}

export type PositionHistoryOf = (wallet: number, token: number) => Readonly<PositionHistory>

/** The tokens that a transaction moves, other than by fills. */
const tokensMoved = ({ facts, venue }: Ledger, tx: number): ReadonlyArray<number> => {
  const kind = facts.kind.get(tx)
  if (kind === TxKind.transfer) return [facts.token.get(tx)]
  const steps = facts.comboChanges.get(tx)
  if (steps !== undefined) return steps.flatMap(({ given, received }) => [...given, ...received])
  const market = venue.markets[facts.market.get(tx)]
  if (market === undefined || kind === TxKind.match) return []
  if (kind !== TxKind.convert) return market.tokens
  const converted = BigInt(facts.extra.get(tx))
  return market.event.markets.map((sibling, index) => {
    const { tokens } = venue.markets[sibling] as Market
    return (converted >> BigInt(index)) & 1n ? tokens[1] : tokens[0]
  })
}

/** Accumulates the fills and transactions of one wallet or one market, in any order. */
class PositionHistories {
  readonly #ledger: Ledger
  readonly #histories = new Map<number, PositionHistory>()
  /** Restricts to one market; undefined for all markets of one wallet. */
  readonly #market: Market | undefined

  constructor(ledger: Ledger, market?: Market) {
    this.#ledger = ledger
    this.#market = market
  }

  get(wallet: number, token: number): Readonly<PositionHistory> {
    return this.#histories.get(this.#keyOf(wallet, token)) ?? noHistory
  }

  addFill(fill: number, tx: number): void {
    const { facts, sim } = this.#ledger
    const history = this.#touch(facts.maker.get(fill), facts.fillToken.get(fill), tx)
    if (facts.side.get(fill) !== Side.buy) return
    // The first exchange charged its fee in shares.
    const fee = facts.at.get(tx) < sim.model.world.cutOver ? 0 : facts.fee.get(fill)
    history.bought += facts.shares.get(fill)
    history.paid += facts.usd.get(fill) + fee
    history.fees += fee
  }

  addTx(tx: number): void {
    const { facts } = this.#ledger
    const wallet = facts.wallet.get(tx)
    if (wallet < 0) return
    for (const token of tokensMoved(this.#ledger, tx)) {
      if (this.#market?.tokens.includes(token) === false) continue
      const history = this.#touch(wallet, token, tx)
      if (facts.kind.get(tx) === TxKind.redeem) {
        history.payout += redemptionOf(this.#ledger, tx, this.#ledger.token(token).outcome).cash
      } else if (facts.kind.get(tx) === TxKind.split) {
        history.bought += facts.amount.get(tx)
        history.paid += facts.amount.get(tx) / 2
      }
    }
  }

  /** Small integer keys are much faster in a Map than large ones. */
  #keyOf(wallet: number, token: number): number {
    return this.#market === undefined ? token : wallet * 2 + this.#market.tokens.indexOf(token)
  }

  #touch(wallet: number, token: number, tx: number): PositionHistory {
    const key = this.#keyOf(wallet, token)
    const existing = this.#histories.get(key)
    const history = existing ?? { ...noHistory }
    if (existing === undefined) this.#histories.set(key, history)
    history.firstTx = existing === undefined ? tx : Math.min(history.firstTx, tx)
    history.lastTx = Math.max(history.lastTx, tx)
    return history
  }
}

/** The position history of a wallet, extended incrementally. */
class WalletHistory {
  readonly #ledger: Ledger
  readonly #wallet: number
  readonly #histories: PositionHistories
  #nextFill = 0
  #nextTx = 0

  constructor(ledger: Ledger, wallet: number) {
    this.#ledger = ledger
    this.#wallet = wallet
    this.#histories = new PositionHistories(ledger)
  }

  readonly historyOf: PositionHistoryOf = (wallet, token) => this.#histories.get(wallet, token)

  catchUp(): void {
    const { facts } = this.#ledger
    for (const fill of fillsByWallet(facts, this.#wallet, this.#nextFill, facts.fills)) {
      this.#histories.addFill(fill, facts.txOf(fill))
    }
    for (let tx = facts.byWallet.newest(this.#wallet); tx >= this.#nextTx; tx = facts.byWallet.previous(tx)) {
      this.#histories.addTx(tx)
    }
    this.#nextFill = facts.fills
    this.#nextTx = facts.length
  }
}

const maxCached = 100

/** LRU cache of wallet histories. */
export class Histories {
  readonly #ledger: Ledger
  readonly #cached = new Map<number, WalletHistory>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  ofWallet(wallet: number): WalletHistory {
    const history = this.#cached.get(wallet) ?? new WalletHistory(this.#ledger, wallet)
    this.#cached.delete(wallet)
    this.#cached.set(wallet, history)
    if (this.#cached.size > maxCached) this.#cached.delete(this.#cached.keys().next().value as number)
    history.catchUp()
    return history
  }

  /** The history of every wallet in one market. */
  ofMarket(market: Market): PositionHistoryOf {
    const { facts } = this.#ledger
    const histories = new PositionHistories(this.#ledger, market)
    for (const tx of facts.byMarket.of(market.index)) {
      const first = facts.firstFill.get(tx)
      for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) histories.addFill(fill, tx)
      histories.addTx(tx)
    }
    return (wallet, token) => histories.get(wallet, token)
  }
}
