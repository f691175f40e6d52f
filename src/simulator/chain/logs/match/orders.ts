import type { Token } from "../../../world/Venue.ts"
import { addressTopic, prefixed, word, zeroWord } from "../../abi.ts"
import { address, type Exchange, topic } from "../../contracts.ts"
import type { Positions } from "../positions.ts"
import { type Log, pay, transferShares } from "../transfers.ts"

/** What a match fills of an order. */
export interface FilledOrder {
  readonly hash: string
  readonly wallet: string
  readonly token: Token
  readonly buys: boolean
  readonly usd: number
  readonly shares: number
  /** In collateral, except for buyers at the first exchange, who pay in shares. */
  readonly fee: number
  /** The part of the fee that the fee module of the first exchange returns. */
  readonly refund: number
  /** 64 digits; zeros for none. */
  readonly builder: string
}

export interface Match {
  readonly positions: Positions
  readonly taker: FilledOrder
  readonly makers: ReadonlyArray<FilledOrder>
}

/** Two buyers of opposite outcomes mint a pair, two sellers merge it. */
export const isPaired = ({ taker }: Match, maker: FilledOrder): boolean => maker.token !== taker.token

export const pairedShares = (match: Match): number =>
  match.makers.reduce((sum, maker) => (isPaired(match, maker) ? sum + maker.shares : sum), 0)

export const totalFee = (orders: ReadonlyArray<FilledOrder>): number => orders.reduce((sum, { fee }) => sum + fee, 0)

/** Token and amounts of an order: collateral for shares, or shares for collateral. */
const terms = ({ generation }: Exchange, { buys, token, usd, shares }: FilledOrder): string => {
  const amounts = buys ? word(usd) + word(shares) : word(shares) + word(usd)
  // The first generation names the asset given and the asset received; 0 is collateral.
  if (generation === 1) return (buys ? zeroWord + token.hex : token.hex + zeroWord) + amounts
  return word(buys ? 0 : 1) + token.hex + amounts
}

/** The fill of a maker's order, or of the taker's own if `taker` is the exchange. */
export const orderFilled = (exchange: Exchange, order: FilledOrder, taker: string): Log => {
  const isFirst = exchange.generation === 1
  return {
    address: exchange.address,
    topics: [
      isFirst ? topic.orderFilled1 : topic.orderFilled2,
      order.hash,
      addressTopic(order.wallet),
      addressTopic(taker),
    ],
    data: prefixed(terms(exchange, order) + word(order.fee) + (isFirst ? "" : order.builder + zeroWord)),
  }
}

/** The fill of the taker's order and its summary, which end every match. */
export const takerFilled = ({ positions: { exchange }, taker }: Match): ReadonlyArray<Log> => [
  orderFilled(exchange, taker, exchange.address),
  {
    address: exchange.address,
    topics: [
      exchange.generation === 1 ? topic.ordersMatched1 : topic.ordersMatched2,
      taker.hash,
      addressTopic(taker.wallet),
    ],
    data: prefixed(terms(exchange, taker)),
  },
]

/** The fee of an order at a later exchange. */
export const feeCharged = (exchange: Exchange, { fee }: FilledOrder): ReadonlyArray<Log> =>
  fee === 0
    ? []
    : [
        {
          address: exchange.address,
          topics: [topic.feeCharged2, addressTopic(address.feeReceiver)],
          data: prefixed(word(fee)),
        },
      ]

/** Transfers of the assets of a match at a later exchange. */
export const transfersOf = ({ address: operator, collateral, tokens: contract }: Exchange) => ({
  pay: (from: string, to: string, amount: number): Log => pay(collateral, from, to, amount),
  move: (from: string, to: string, token: Token, amount: number): Log =>
    transferShares({ contract, operator, from, to }, token, amount),
  payFees: (from: string, amount: number): ReadonlyArray<Log> =>
    amount === 0 ? [] : [pay(collateral, from, address.feeReceiver, amount)],
})
