import { Side } from "../../world/Facts.ts"
import type { Token } from "../../world/Venue.ts"
import type { World } from "../../world/World.ts"
import { addressTopic, prefixed, word, zeroWord } from "../abi.ts"
import { topic } from "../contracts.ts"
import { merge, type Positions, split } from "./positions.ts"
import { type Log, pay, transferShares } from "./transfers.ts"

/** Receives the fees of the second exchange; a made-up account of the venue. */
export const feeReceiver = "0x00000000000000000000000000000000feefee02"

/** Lookups that the logs of a match need. */
export interface MatchContext {
  readonly world: World
  readonly addressOf: (wallet: number) => string
  readonly orderHash: (fill: number) => string
  /** 64 digits; zeros for none. */
  readonly builderOf: (fill: number) => string
}

/** The logs of a transaction that settles a match, in the contract's order. */
export class MatchLogs {
  readonly #context: MatchContext
  readonly #positions: Positions
  readonly #first: number
  /** The taker's own order is the last fill. */
  readonly #own: number
  readonly #logs: Array<Log> = []

  constructor(context: MatchContext, positions: Positions, tx: number) {
    const { facts } = context.world
    this.#context = context
    this.#positions = positions
    this.#first = facts.firstFill.get(tx)
    this.#own = this.#first + facts.fillCount.get(tx) - 1
  }

  make(refund: number): ReadonlyArray<Log> {
    const { facts } = this.#context.world
    const { exchange } = this.#positions
    const own = this.#own
    const taker = this.#makerOf(own)
    const buys = facts.side.get(own) === Side.buy
    const fee = facts.fee.get(own)
    const [usd, shares] = [facts.usd.get(own), facts.shares.get(own)]
    const isFirst = exchange.generation === 1
    this.#transfer(taker, exchange.address, buys, own, buys ? usd + (isFirst ? 0 : fee) : shares)
    for (let fill = this.#first; fill < own; fill++) this.#fillMaker(fill, taker)
    this.#transfer(exchange.address, taker, !buys, own, buys ? shares - (isFirst ? fee : 0) : usd - fee)
    if (fee > 0) this.#chargeFee(fee, buys)
    this.#logs.push(this.#orderFilled(own, exchange.address), this.#ordersMatched())
    if (refund > 0) this.#refundFee(refund, fee, taker, buys)
    return this.#logs
  }

  #makerOf(fill: number): string {
    return this.#context.addressOf(this.#context.world.facts.maker.get(fill))
  }

  #tokenOf(fill: number): Token {
    const { facts, venue } = this.#context.world
    return venue.tokens[facts.fillToken.get(fill)] as Token
  }

  /** Transfers collateral, or shares of the fill's token. */
  #transfer(from: string, to: string, isCollateral: boolean, fill: number, amount: number): void {
    const { exchange } = this.#positions
    this.#logs.push(
      isCollateral
        ? pay(exchange.collateral, from, to, amount)
        : transferShares(
            { contract: exchange.tokens, operator: exchange.address, from, to },
            this.#tokenOf(fill),
            amount,
          ),
    )
  }

  #fillMaker(fill: number, taker: string): void {
    const { facts } = this.#context.world
    const { exchange } = this.#positions
    const maker = this.#makerOf(fill)
    const buys = facts.side.get(fill) === Side.buy
    const [usd, shares] = [facts.usd.get(fill), facts.shares.get(fill)]
    this.#transfer(maker, exchange.address, buys, fill, buys ? usd : shares)
    if (facts.fillToken.get(fill) !== facts.fillToken.get(this.#own)) {
      // Two buyers of opposite outcomes mint the pair, two sellers merge it.
      this.#logs.push(...(buys ? split : merge)(this.#positions, exchange.address, shares))
    }
    this.#transfer(exchange.address, maker, !buys, fill, buys ? shares : usd)
    this.#logs.push(this.#orderFilled(fill, taker))
  }

  /** In collateral, except for buyers at the first exchange, who paid in shares. */
  #chargeFee(fee: number, buys: boolean): void {
    const { exchange } = this.#positions
    const isFirst = exchange.generation === 1
    const inShares = buys && isFirst
    const receiver = isFirst ? exchange.feeModule : feeReceiver
    this.#transfer(exchange.address, receiver, !inShares, this.#own, fee)
    const token = inShares ? this.#tokenOf(this.#own).hex : zeroWord
    this.#logs.push({
      address: exchange.address,
      topics: [isFirst ? topic.feeCharged1 : topic.feeCharged2, addressTopic(receiver)],
      data: prefixed(isFirst ? token + word(fee) : word(fee)),
    })
  }

  #refundFee(refund: number, charged: number, taker: string, buys: boolean): void {
    const { feeModule } = this.#positions.exchange
    const { orderHash } = this.#context
    this.#transfer(feeModule, taker, !buys, this.#own, refund)
    this.#logs.push({
      address: feeModule,
      topics: [topic.feeRefunded, orderHash(this.#own), addressTopic(taker), prefixed(word(charged))],
      data: prefixed((buys ? this.#tokenOf(this.#own).hex : zeroWord) + word(refund)),
    })
  }

  /** Token and amounts of an order: collateral for shares, or shares for collateral. */
  #terms(fill: number): string {
    const { facts } = this.#context.world
    const [usd, shares] = [word(facts.usd.get(fill)), word(facts.shares.get(fill))]
    const token = this.#tokenOf(fill).hex
    const buys = facts.side.get(fill) === Side.buy
    const amounts = buys ? usd + shares : shares + usd
    // The first generation names the asset given and the asset received; 0 is collateral.
    if (this.#positions.exchange.generation === 1) return (buys ? zeroWord + token : token + zeroWord) + amounts
    return word(facts.side.get(fill)) + token + amounts
  }

  #orderFilled(fill: number, taker: string): Log {
    const { facts } = this.#context.world
    const { orderHash, builderOf } = this.#context
    const { exchange } = this.#positions
    const isFirst = exchange.generation === 1
    return {
      address: exchange.address,
      topics: [
        isFirst ? topic.orderFilled1 : topic.orderFilled2,
        orderHash(fill),
        addressTopic(this.#makerOf(fill)),
        addressTopic(taker),
      ],
      data: prefixed(this.#terms(fill) + word(facts.fee.get(fill)) + (isFirst ? "" : builderOf(fill) + zeroWord)),
    }
  }

  #ordersMatched(): Log {
    const { exchange } = this.#positions
    return {
      address: exchange.address,
      topics: [
        exchange.generation === 1 ? topic.ordersMatched1 : topic.ordersMatched2,
        this.#context.orderHash(this.#own),
        addressTopic(this.#makerOf(this.#own)),
      ],
      data: prefixed(this.#terms(this.#own)),
    }
  }
}
