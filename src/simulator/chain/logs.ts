import { hexOf } from "../random.ts"
import { Act, Side } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Event, Market } from "../world/Venue.ts"
import type { World } from "../world/World.ts"
import { address, topic } from "./contracts.ts"
import { collateralOf, isNegRisk, isSecond, type Log, move, moveBoth, pay, splitOrMerge } from "./transfers.ts"
import { addressTopic, arrayWords, asTopic, word, zeroWord } from "./words.ts"

export type { Log } from "./transfers.ts"

/** Who is given the fees of the second exchange; a made-up account of the venue. */
const feeReceiver = "0x00000000000000000000000000000000feefee02"

/** Makes the logs of any transaction of the world, in the order in which the contracts emit them. */
export class LogMaker {
  readonly #world: World
  readonly #wallets: ReadonlyArray<Wallet>
  readonly #builders: ReadonlyArray<string>
  readonly #orderSeed: number

  constructor(world: World, wallets: ReadonlyArray<Wallet>, builders: ReadonlyArray<string>, orderSeed: number) {
    this.#world = world
    this.#wallets = wallets
    this.#builders = builders
    this.#orderSeed = orderSeed
  }

  orderHash(fill: number): string {
    return asTopic(hexOf(32, this.#orderSeed, fill))
  }

  logsOf(act: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    switch (facts.kind.get(act)) {
      case Act.match:
        return this.#match(act)
      case Act.split:
        return this.#splitOrMerge(act, true)
      case Act.merge:
        return this.#splitOrMerge(act, false)
      case Act.redeem:
        return this.#redeem(act)
      case Act.convert:
        return this.#convert(act)
      case Act.transfer:
        return [
          move(
            this.#world.venue.tokens,
            this.#address(facts.wallet.get(act)),
            this.#address(facts.extra.get(act)),
            facts.token.get(act),
            facts.amount.get(act),
          ),
        ]
      case Act.prepare:
        return this.#prepare(act)
      case Act.resolve:
        return this.#resolve(act)
      case Act.wrap:
        return this.#wrap(act)
      case Act.unwrap:
        return this.#unwrap(act)
      default:
        return []
    }
  }

  #address(wallet: number): string {
    return (this.#wallets[wallet] as Wallet).address
  }

  #market(act: number): Market {
    return this.#world.venue.markets[this.#world.facts.market.get(act)] as Market
  }

  #tokenWord(token: number): string {
    return this.#world.venue.tokens[token]?.hex ?? zeroWord
  }

  #match(act: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const market = this.#market(act)
    const second = isSecond(market.exchange)
    const venue = address[market.exchange]
    const collateral = collateralOf(market.exchange)
    const first = facts.firstFill.get(act)
    const own = first + facts.fillCount.get(act) - 1
    const takerAddress = this.#address(facts.maker.get(own))
    const takerBuys = facts.side.get(own) === Side.buy
    const logs: Array<Log> = []
    const hands = (from: string, to: string, isCollateral: boolean, token: number, amount: number) =>
      logs.push(
        isCollateral
          ? pay(collateral, from, to, amount)
          : move(this.#world.venue.tokens, from, to, token, amount, venue),
      )

    const ownToken = facts.fillToken.get(own)
    const ownFee = second ? facts.fee.get(own) : 0
    hands(takerAddress, venue, takerBuys, ownToken, takerBuys ? facts.usd.get(own) + ownFee : facts.shares.get(own))
    for (let fill = first; fill < own; fill++) {
      const maker = this.#address(facts.maker.get(fill))
      const buys = facts.side.get(fill) === Side.buy
      const token = facts.fillToken.get(fill)
      const shares = facts.shares.get(fill)
      const usd = facts.usd.get(fill)
      hands(maker, venue, buys, token, buys ? usd : shares)
      if (token !== ownToken) {
        // Two buyers of opposite outcomes mint the pair, two sellers merge it.
        if (takerBuys) logs.push(pay(collateral, venue, address.ctf, shares))
        else logs.push(pay(collateral, address.ctf, venue, shares))
        logs.push(
          moveBoth(
            this.#world.venue.tokens,
            venue,
            takerBuys ? address.zero : venue,
            takerBuys ? venue : address.zero,
            market,
            shares,
          ),
        )
        logs.push(splitOrMerge(venue, market, shares, takerBuys))
      }
      hands(venue, maker, !buys, token, buys ? shares : usd)
      logs.push(this.#orderFilled(fill, venue, takerAddress, second))
    }
    const fee = facts.fee.get(own)
    hands(
      venue,
      takerAddress,
      !takerBuys,
      ownToken,
      takerBuys ? facts.shares.get(own) - (second ? 0 : fee) : facts.usd.get(own) - fee,
    )
    if (fee > 0) {
      // In collateral, but for buyers at the first exchange, who paid in shares.
      const inShares = takerBuys && !second
      const module = isNegRisk(market.exchange) ? address.negRiskFeeModule : address.feeModule
      hands(venue, second ? feeReceiver : module, !inShares, ownToken, fee)
      logs.push(this.#feeCharged(venue, second, second ? feeReceiver : module, inShares ? ownToken : -1, fee))
    }
    logs.push(this.#orderFilled(own, venue, venue, second))
    logs.push(this.#ordersMatched(own, venue, second))
    const refund = facts.extra.get(act)
    if (refund > 0) {
      const module = isNegRisk(market.exchange) ? address.negRiskFeeModule : address.feeModule
      hands(module, takerAddress, !takerBuys, ownToken, refund)
      logs.push(this.#feeRefunded(own, module, takerBuys ? ownToken : -1, refund, fee))
    }
    return logs
  }

  /** What an order gives and gets: collateral for shares, or shares for collateral. */
  #amounts(fill: number): readonly [number, number] {
    const { facts } = this.#world
    const [shares, usd] = [facts.shares.get(fill), facts.usd.get(fill)]
    return facts.side.get(fill) === Side.buy ? [usd, shares] : [shares, usd]
  }

  /** Asset ids of the first generation: the token, and 0 for collateral. */
  #assets(fill: number): string {
    const token = this.#tokenWord(this.#world.facts.fillToken.get(fill))
    return this.#world.facts.side.get(fill) === Side.buy ? zeroWord + token : token + zeroWord
  }

  #orderFilled(fill: number, venue: string, taker: string, second: boolean): Log {
    const { facts } = this.#world
    const [given, got] = this.#amounts(fill)
    const topics = [
      second ? topic.orderFilled2 : topic.orderFilled1,
      this.orderHash(fill),
      addressTopic(this.#address(facts.maker.get(fill))),
      addressTopic(taker),
    ]
    const amounts = word(given) + word(got) + word(facts.fee.get(fill))
    const builder = this.#builders[facts.builder.get(fill) - 1]?.slice(2) ?? zeroWord
    const data = second
      ? word(facts.side.get(fill)) + this.#tokenWord(facts.fillToken.get(fill)) + amounts + builder + zeroWord
      : this.#assets(fill) + amounts
    return { address: venue, topics, data: asTopic(data) }
  }

  #ordersMatched(fill: number, venue: string, second: boolean): Log {
    const { facts } = this.#world
    const [given, got] = this.#amounts(fill)
    const what = second ? word(facts.side.get(fill)) + this.#tokenWord(facts.fillToken.get(fill)) : this.#assets(fill)
    return {
      address: venue,
      topics: [
        second ? topic.ordersMatched2 : topic.ordersMatched1,
        this.orderHash(fill),
        addressTopic(this.#address(facts.maker.get(fill))),
      ],
      data: asTopic(what + word(given) + word(got)),
    }
  }

  #feeCharged(venue: string, second: boolean, to: string, token: number, fee: number): Log {
    const receiver = addressTopic(to)
    return second
      ? { address: venue, topics: [topic.feeCharged2, receiver], data: asTopic(word(fee)) }
      : { address: venue, topics: [topic.feeCharged1, receiver], data: asTopic(this.#tokenWord(token) + word(fee)) }
  }

  #feeRefunded(fill: number, module: string, token: number, refund: number, charged: number): Log {
    const to = this.#address(this.#world.facts.maker.get(fill))
    return {
      address: module,
      topics: [topic.feeRefunded, this.orderHash(fill), addressTopic(to), asTopic(word(charged))],
      data: asTopic(this.#tokenWord(token) + word(refund)),
    }
  }

  #splitOrMerge(act: number, splits: boolean): ReadonlyArray<Log> {
    const { facts } = this.#world
    const market = this.#market(act)
    const amount = facts.amount.get(act)
    const wallet = this.#address(facts.wallet.get(act))
    const collateral = collateralOf(market.exchange)
    const [from, to] = splits ? [wallet, address.ctf] : [address.ctf, wallet]
    const batch = splits
      ? moveBoth(this.#world.venue.tokens, wallet, address.zero, wallet, market, amount)
      : moveBoth(this.#world.venue.tokens, wallet, wallet, address.zero, market, amount)
    if (!isNegRisk(market.exchange)) {
      return [pay(collateral, from, to, amount), batch, splitOrMerge(wallet, market, amount, splits)]
    }
    return [
      pay(collateral, from, to, amount),
      batch,
      splitOrMerge(address.negRiskAdapter, market, amount, splits),
      {
        address: address.negRiskAdapter,
        topics: [splits ? topic.negRiskSplit : topic.negRiskMerge, addressTopic(wallet), market.conditionId],
        data: asTopic(word(amount)),
      },
    ]
  }

  #redeem(act: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const market = this.#market(act)
    const wallet = this.#address(facts.wallet.get(act))
    const payout = facts.extra.get(act)
    const amounts = [facts.amount.get(act), facts.second.get(act)]
    const burned = market.tokens.flatMap((token, outcome) => {
      const amount = amounts[outcome] as number
      return amount === 0 ? [] : [move(this.#world.venue.tokens, wallet, address.zero, token, amount)]
    })
    const paid = pay(collateralOf(market.exchange), address.ctf, wallet, payout)
    const redeemed: Log = isNegRisk(market.exchange)
      ? {
          address: address.negRiskAdapter,
          topics: [topic.negRiskRedemption, addressTopic(wallet), market.conditionId],
          data: asTopic(word(64) + word(payout) + arrayWords(amounts)),
        }
      : {
          address: address.ctf,
          topics: [topic.payoutRedemption, addressTopic(wallet), addressTopic(address.usdce), asTopic(zeroWord)],
          data: asTopic(market.conditionId.slice(2) + word(96) + word(payout) + arrayWords([1, 2])),
        }
    return [...burned, paid, redeemed]
  }

  #convert(act: number): ReadonlyArray<Log> {
    const { facts, venue } = this.#world
    const event: Event = this.#market(act).event
    const amount = facts.amount.get(act)
    const bits = facts.extra.get(act)
    const wallet = this.#address(facts.wallet.get(act))
    const given = (place: number) => Math.floor(bits / 2 ** place) % 2 === 1
    const moves = event.markets.map((index, place) => {
      const market = venue.markets[index] as Market
      return given(place)
        ? move(
            this.#world.venue.tokens,
            wallet,
            address.negRiskAdapter,
            market.tokens[1],
            amount,
            address.negRiskAdapter,
          )
        : move(
            this.#world.venue.tokens,
            address.negRiskAdapter,
            wallet,
            market.tokens[0],
            amount,
            address.negRiskAdapter,
          )
    })
    return [
      ...moves,
      {
        address: address.negRiskAdapter,
        topics: [topic.positionsConverted, addressTopic(wallet), event.negRiskMarketId ?? "0x", asTopic(word(bits))],
        data: asTopic(word(amount)),
      },
    ]
  }

  #oracle(market: Market): string {
    return isNegRisk(market.exchange) ? address.negRiskAdapter : address.umaAdapter
  }

  #prepare(act: number): ReadonlyArray<Log> {
    const market = this.#market(act)
    return [
      {
        address: address.ctf,
        topics: [topic.conditionPreparation, market.conditionId, addressTopic(this.#oracle(market)), market.questionId],
        data: asTopic(word(2)),
      },
    ]
  }

  #resolve(act: number): ReadonlyArray<Log> {
    const market = this.#market(act)
    const payouts = market.payouts ?? [0, 0]
    const resolution: Log = {
      address: address.ctf,
      topics: [topic.conditionResolution, market.conditionId, addressTopic(this.#oracle(market)), market.questionId],
      data: asTopic(word(2) + word(64) + arrayWords(payouts)),
    }
    if (!isNegRisk(market.exchange)) {
      const settled = payouts[0] === payouts[1] ? 5n * 10n ** 17n : payouts[0] > 0 ? 10n ** 18n : 0n
      const report: Log = {
        address: address.umaAdapter,
        topics: [topic.questionResolved, market.questionId, asTopic(settled.toString(16).padStart(64, "0"))],
        data: asTopic(word(32) + arrayWords(payouts)),
      }
      return [resolution, report]
    }
    const report: Log = {
      address: address.negRiskAdapter,
      topics: [topic.outcomeReported, market.event.negRiskMarketId ?? "0x", market.questionId],
      data: asTopic(word(payouts[0] > 0 ? 1 : 0)),
    }
    return [resolution, report]
  }

  #wrap(act: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const amount = facts.amount.get(act)
    const wallet = this.#address(facts.wallet.get(act))
    return [
      pay(address.pusd, address.zero, wallet, amount),
      {
        address: address.pusd,
        topics: [
          topic.wrapped,
          addressTopic(address.collateralOnramp),
          addressTopic(address.usdce),
          addressTopic(wallet),
        ],
        data: asTopic(word(amount)),
      },
    ]
  }

  #unwrap(act: number): ReadonlyArray<Log> {
    const { facts } = this.#world
    const amount = facts.amount.get(act)
    const wallet = this.#address(facts.wallet.get(act))
    return [
      pay(address.pusd, wallet, address.zero, amount),
      {
        address: address.pusd,
        topics: [
          topic.unwrapped,
          addressTopic(address.collateralOfframp),
          addressTopic(address.usdce),
          addressTopic(wallet),
        ],
        data: asTopic(word(amount)),
      },
    ]
  }
}
