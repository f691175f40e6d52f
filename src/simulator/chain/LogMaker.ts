import { hash, hexOf } from "../random.ts"
import { Act } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { type Exchange, exchangeOf } from "./exchanges.ts"
import { approvals, deposit, migration, payment, withdrawal } from "./logs/collateral.ts"
import { convert } from "./logs/conversion.ts"
import { prepare, resolve } from "./logs/lifecycle.ts"
import { type MatchContext, MatchLogs } from "./logs/match.ts"
import { merge, mintAtAdapter, type Positions, split } from "./logs/positions.ts"
import { redeem } from "./logs/redemption.ts"
import { type Log, move, pairOf } from "./logs/transfers.ts"
import { firstFillOf } from "./restingOrders.ts"
import { asTopic, zeroWord } from "./words.ts"

export type { Log } from "./logs/transfers.ts"

/** Makes the logs of any transaction of the world, in the order in which the contracts emit them. */
export class LogMaker {
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
    return asTopic(hexOf(32, this.#orderSeed, firstFillOf(this.#world.facts, fill)))
  }

  /** The contracts that carry out an act on its market. */
  exchangeOf(act: number): Exchange {
    return exchangeOf(this.#market(act), this.#isSecond(act))
  }

  /** Whether the venue's redeemer collects for the wallet: not for plain accounts, and only where it is in use. */
  isAutomatic(act: number): boolean {
    const { kind } = this.#wallets[this.#world.facts.wallet.get(act)] as Wallet
    return this.#isSecond(act) && kind !== "eoa" && hash(this.#orderSeed, act, 1) % 3 === 0
  }

  logsOf(act: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const amount = facts.amount.get(act)
    switch (facts.kind.get(act)) {
      case Act.match:
        return new MatchLogs(this.#matches, this.#positions(act), act).make(facts.extra.get(act))
      case Act.split:
        return split(this.#positions(act), this.#actor(act), amount)
      case Act.merge:
        return merge(this.#positions(act), this.#actor(act), amount)
      case Act.redeem: {
        const amounts = [amount, facts.second.get(act)] as const
        const redeemed = { amounts, payout: facts.extra.get(act), automatic: this.isAutomatic(act) }
        return redeem(this.#positions(act), this.#actor(act), redeemed)
      }
      case Act.convert:
        return this.#convert(act)
      case Act.transfer:
        return this.#transfer(act)
      case Act.prepare:
        return prepare(this.#positions(act), facts.at.get(act))
      case Act.resolve:
        return resolve(this.#positions(act))
      case Act.wrap:
        return deposit(this.#actor(act), amount, this.#isSecond(act))
      case Act.unwrap:
        return withdrawal(this.#actor(act), amount, this.#isSecond(act))
      case Act.migrate:
        return migration(this.#actor(act), amount)
      case Act.approve:
        return approvals(this.#actor(act))
      case Act.rebate:
      case Act.reward:
        return payment(this.#actor(act), amount)
      default:
        throw new Error(`an act of kind ${facts.kind.get(act)} has no logs`)
    }
  }

  #address(wallet: number): string {
    return (this.#wallets[wallet] as Wallet).address
  }

  #actor(act: number): string {
    return this.#address(this.#world.facts.wallet.get(act))
  }

  #market(act: number): Market {
    return this.#world.venue.markets[this.#world.facts.market.get(act)] as Market
  }

  #isSecond(act: number): boolean {
    return this.#world.facts.at.get(act) >= this.#world.cutOver
  }

  #positions(act: number): Positions {
    const market = this.#market(act)
    return { market, exchange: this.exchangeOf(act), tokens: pairOf(this.#world.venue.tokens, market) }
  }

  #transfer(act: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const from = this.#actor(act)
    const route = {
      contract: this.exchangeOf(act).tokens,
      operator: from,
      from,
      to: this.#address(facts.extra.get(act)),
    }
    return [move(route, venue.tokens[facts.token.get(act)] as Token, facts.amount.get(act))]
  }

  #convert(act: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const { event } = this.#market(act)
    const amount = facts.amount.get(act)
    const bits = facts.extra.get(act)
    const isGiven = ({ place }: Market) => Math.floor(bits / 2 ** place) % 2 === 1
    const markets = event.markets.map((index) => venue.markets[index] as Market)
    const taken = markets.filter((market) => !isGiven(market))
    const tokens = (of: ReadonlyArray<Market>, outcome: 0 | 1) =>
      of.map((market) => venue.tokens[market.tokens[outcome]] as Token)
    const exchange = this.exchangeOf(act)
    return convert(event, exchange, this.#actor(act), {
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
