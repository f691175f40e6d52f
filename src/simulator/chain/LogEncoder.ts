import { hash, hexOf } from "../random.ts"
import { exchangeAsTaker, type Facts, TxKind } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { prefixed, zeroWord } from "./abi.ts"
import { type Exchange, exchangeOf } from "./contracts.ts"
import { convert } from "./logs/conversion.ts"
import { prepare, resolve } from "./logs/lifecycle.ts"
import { type MatchContext, MatchLogs } from "./logs/match.ts"
import { merge, mintAtAdapter, type Positions, split } from "./logs/positions.ts"
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

/** No order spans more fills of the chain than this. */
const orderLifetimeFills = 256

const priceOf = (facts: Facts, fill: number) => Math.round((facts.usd.get(fill) / facts.shares.get(fill)) * 10_000)

/**
 * The first fill of the order that a fill belongs to. Nearby fills of one maker with the same token, side and price are
 * partial fills of one resting order; a taker's order is filled at once.
 */
const firstFillOf = (facts: Facts, fill: number): number => {
  if (facts.taker.get(fill) === exchangeAsTaker) return fill
  const isSameOrder = (other: number) =>
    facts.taker.get(other) !== exchangeAsTaker &&
    facts.fillToken.get(other) === facts.fillToken.get(fill) &&
    facts.side.get(other) === facts.side.get(fill) &&
    priceOf(facts, other) === priceOf(facts, fill) &&
    facts.txOf(other) !== facts.txOf(fill)
  const oldest = fill - (fill % orderLifetimeFills)
  let first = fill
  for (let other = facts.fillsByMaker.previous(fill); other >= oldest; other = facts.fillsByMaker.previous(other)) {
    if (isSameOrder(other)) first = other
  }
  return first
}

export type { Log } from "./logs/transfers.ts"

/** Encodes the logs of any transaction, in the order in which the contracts emit them. */
export class LogEncoder {
  readonly #world: World
  readonly #wallets: ReadonlyArray<Wallet>
  readonly #orderSeed: number
  readonly #matches: MatchContext

  constructor(world: World, wallets: ReadonlyArray<Wallet>, builders: ReadonlyArray<string>, orderSeed: number) {
    this.#world = world
    this.#wallets = wallets
    this.#orderSeed = orderSeed
    this.#matches = {
      world,
      addressOf: (wallet) => this.#address(wallet),
      orderHash: (fill) => this.orderHash(fill),
      builderOf: (fill) => builders[world.facts.builder.get(fill) - 1]?.slice(2) ?? zeroWord,
    }
  }

  orderHash(fill: number): string {
    return prefixed(hexOf(32, this.#orderSeed, firstFillOf(this.#world.facts, fill)))
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
        return new MatchLogs(this.#matches, this.#positions(tx), tx).make(facts.extra.get(tx))
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
    const market = this.#market(tx)
    return { market, exchange: this.exchangeOf(tx), tokens: pairOf(this.#world.venue.tokens, market) }
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

  #convert(tx: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const { event } = this.#market(tx)
    const amount = facts.amount.get(tx)
    const bits = facts.extra.get(tx)
    const isGiven = ({ questionIndex }: Market) => Math.floor(bits / 2 ** questionIndex) % 2 === 1
    const markets = event.markets.map((index) => venue.markets[index] as Market)
    const taken = markets.filter((market) => !isGiven(market))
    const tokens = (of: ReadonlyArray<Market>, outcome: 0 | 1) =>
      of.map((market) => venue.tokens[market.tokens[outcome]] as Token)
    const exchange = this.exchangeOf(tx)
    return convert(event, exchange, this.#actor(tx), {
      bits,
      amount,
      nos: tokens(markets.filter(isGiven), 1),
      yeses: tokens(taken, 0),
      complements: tokens(taken, 1),
      splits: taken.flatMap((market) =>
        mintAtAdapter({ market, exchange, tokens: pairOf(venue.tokens, market) }, amount),
      ),
    })
  }
}
