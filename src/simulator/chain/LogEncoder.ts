import { hash } from "../random.ts"
import { Side, TxKind } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { type Exchange, exchangeOf } from "./contracts.ts"
import { changeCombo } from "./logs/comboChanges.ts"
import { convert } from "./logs/conversion.ts"
import { prepare, resolve } from "./logs/lifecycle.ts"
import { settle } from "./logs/match/match.ts"
import type { FilledOrder } from "./logs/match/orders.ts"
import { merge, type Positions, split } from "./logs/positions.ts"
import { redeem } from "./logs/redemption.ts"
import {
  approvals,
  deposit,
  type Log,
  migration,
  pairOf,
  payment,
  transferShares,
  withdrawal,
} from "./logs/transfers.ts"
import { Orders } from "./Orders.ts"

export type { Log } from "./logs/transfers.ts"

/** Encodes the logs of any transaction, in the order in which the contracts emit them. */
export class LogEncoder {
  readonly orders: Orders
  readonly #world: World
  readonly #wallets: ReadonlyArray<Wallet>
  readonly #orderSeed: number

  constructor(world: World, wallets: ReadonlyArray<Wallet>, builders: ReadonlyArray<string>, orderSeed: number) {
    this.#world = world
    this.#wallets = wallets
    this.orders = new Orders(world, wallets, builders, orderSeed)
    this.#orderSeed = orderSeed
  }

  orderHash(fill: number): string {
    return this.orders.hashOf(fill)
  }

  /** The exchange that settles a transaction's market at that time. */
  exchangeOf(tx: number): Exchange {
    return exchangeOf(this.#market(tx), this.#isSecond(tx))
  }

  /** Whether the auto-redeemer collects for the wallet: never for EOAs, and not before the cut-over. */
  isAutomatic(tx: number): boolean {
    const { kind } = this.#wallets[this.#world.facts.wallet.get(tx)] as Wallet
    return this.#isSecond(tx) && kind !== "eoa" && hash(this.#orderSeed, tx, 1) % 3 === 0
  }

  logsOf(tx: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const amount = facts.amount.get(tx)
    switch (facts.kind.get(tx)) {
      case TxKind.match:
        return this.#match(tx)
      case TxKind.split:
        return split(this.#positions(tx), this.#actor(tx), amount)
      case TxKind.merge:
        return merge(this.#positions(tx), this.#actor(tx), amount)
      case TxKind.redeem: {
        const amounts = [amount, facts.second.get(tx)] as const
        const redeemed = { amounts, payout: facts.extra.get(tx), automatic: this.isAutomatic(tx) }
        return redeem(this.#positions(tx), this.#actor(tx), redeemed)
      }
      case TxKind.convert:
        return this.#convert(tx)
      case TxKind.transfer:
        return this.#transfer(tx)
      case TxKind.prepare:
        return prepare(this.#positions(tx), facts.at.get(tx))
      case TxKind.resolve:
        return resolve(this.#positions(tx))
      case TxKind.combo:
        return this.#changeCombo(tx)
      case TxKind.wrap:
        return deposit(this.#actor(tx), amount, this.#isSecond(tx))
      case TxKind.unwrap:
        return withdrawal(this.#actor(tx), amount, this.#isSecond(tx))
      case TxKind.migrate:
        return migration(this.#actor(tx), amount)
      case TxKind.approve:
        return approvals(this.#actor(tx))
      case TxKind.rebate:
        return payment("rebate", this.#actor(tx), amount)
      case TxKind.reward:
        return payment("reward", this.#actor(tx), amount)
      default:
        throw new Error(`a transaction of kind ${facts.kind.get(tx)} has no logs`)
    }
  }

  #address(wallet: number): string {
    return (this.#wallets[wallet] as Wallet).address
  }

  #actor(tx: number): string {
    return this.#address(this.#world.facts.wallet.get(tx))
  }

  #market(tx: number): Market {
    return this.#world.venue.markets[this.#world.facts.market.get(tx)] as Market
  }

  #isSecond(tx: number): boolean {
    return this.#world.facts.at.get(tx) >= this.#world.cutOver
  }

  #positions(tx: number): Positions {
    return this.#positionsIn(this.#market(tx), tx)
  }

  #positionsIn(market: Market, tx: number): Positions {
    return { market, exchange: this.exchangeOf(tx), tokens: pairOf(this.#world.venue.tokens, market) }
  }

  #order(fill: number, refund: number): FilledOrder {
    const { facts, venue } = this.#world
    return {
      hash: this.orderHash(fill),
      wallet: this.#address(facts.maker.get(fill)),
      token: venue.tokens[facts.fillToken.get(fill)] as Token,
      buys: facts.side.get(fill) === Side.buy,
      usd: facts.usd.get(fill),
      shares: facts.shares.get(fill),
      fee: facts.fee.get(fill),
      refund,
      builder: this.orders.builderOf(fill),
    }
  }

  /** The taker's own order is the last fill. */
  #match(tx: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const first = facts.firstFill.get(tx)
    const makers = facts.fillCount.get(tx) - 1
    return settle({
      positions: this.#positions(tx),
      taker: this.#order(first + makers, facts.extra.get(tx)),
      makers: Array.from({ length: makers }, (_, i) => this.#order(first + i, 0)),
    })
  }

  #transfer(tx: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const from = this.#actor(tx)
    const route = {
      contract: this.exchangeOf(tx).tokens,
      operator: from,
      from,
      to: this.#address(facts.extra.get(tx)),
    }
    return [transferShares(route, venue.tokens[facts.token.get(tx)] as Token, facts.amount.get(tx))]
  }

  #changeCombo(tx: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const tokens = (indexes: ReadonlyArray<number>) => indexes.map((index) => venue.tokens[index] as Token)
    const steps = (facts.comboChanges.get(tx) ?? []).map((step) => ({
      ...step,
      positions: this.#positionsIn(venue.markets[step.market] as Market, tx),
      given: tokens(step.given),
      received: tokens(step.received),
      prepared: step.prepared.map((index) => venue.markets[index] as Market),
    }))
    return changeCombo(steps, this.#actor(tx))
  }

  #convert(tx: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const { markets } = this.#market(tx).event
    const questions = markets.map((index) => this.#positionsIn(venue.markets[index] as Market, tx))
    return convert({ questions, bits: facts.extra.get(tx), amount: facts.amount.get(tx) }, this.#actor(tx))
  }
}
