import type { Token } from "../../../world/Venue.ts"
import { addressTopic, prefixed, word, zeroWord } from "../../abi.ts"
import { address, type Exchange, topic } from "../../contracts.ts"
import { merge, split } from "../positions.ts"
import { type Log, pay, transferShares } from "../transfers.ts"
import { type FilledOrder, isPaired, type Match, orderFilled, takerFilled } from "./orders.ts"

/** Collateral, or shares of a token. The neg-risk adapter moves the shares of its markets. */
const transfer = (exchange: Exchange, from: string, to: string, token: Token | undefined, amount: number): Log => {
  if (token === undefined) return pay(exchange.collateral, from, to, amount)
  const mover = from === exchange.feeModule ? from : exchange.address
  const operator = exchange.negRisk ? address.negRiskAdapter : mover
  return transferShares({ contract: exchange.tokens, operator, from, to }, token, amount)
}

const give = (exchange: Exchange, { wallet, token, buys, usd, shares }: FilledOrder): Log =>
  buys
    ? transfer(exchange, wallet, exchange.address, undefined, usd)
    : transfer(exchange, wallet, exchange.address, token, shares)

/** What an order receives: shares or, undefined, collateral. */
const received = ({ buys, token }: FilledOrder): Token | undefined => (buys ? token : undefined)

/** Fees are kept from what an order receives. */
const receive = (exchange: Exchange, order: FilledOrder): ReadonlyArray<Log> => {
  const { wallet, buys, usd, shares, fee } = order
  const token = received(order)
  const paid = transfer(exchange, exchange.address, wallet, token, (buys ? shares : usd) - fee)
  if (fee === 0) return [paid]
  return [
    paid,
    transfer(exchange, exchange.address, exchange.feeModule, token, fee),
    {
      address: exchange.address,
      topics: [topic.feeCharged1, addressTopic(exchange.feeModule)],
      data: prefixed((token?.hex ?? zeroWord) + word(fee)),
    },
  ]
}

const refund = (exchange: Exchange, order: FilledOrder): ReadonlyArray<Log> => {
  if (order.refund === 0) return []
  const { hash, wallet, fee } = order
  const token = received(order)
  return [
    transfer(exchange, exchange.feeModule, wallet, token, order.refund),
    {
      address: exchange.feeModule,
      topics: [topic.feeRefunded, hash, addressTopic(wallet), prefixed(word(fee - order.refund))],
      data: prefixed((token?.hex ?? zeroWord) + word(order.refund)),
    },
  ]
}

/** The first exchange passes all assets through itself, and mints or merges for every maker. */
export const settleFirst = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const makePairs = taker.buys ? split : merge
  return [
    give(exchange, taker),
    ...makers.flatMap((maker) => [
      give(exchange, maker),
      ...(isPaired(match, maker) ? makePairs(positions, exchange.address, maker.shares) : []),
      ...receive(exchange, maker),
      orderFilled(exchange, maker, taker.wallet),
    ]),
    ...receive(exchange, taker),
    ...takerFilled(match),
    ...[taker, ...makers].flatMap((order) => refund(exchange, order)),
  ]
}
