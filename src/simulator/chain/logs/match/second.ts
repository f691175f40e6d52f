import { merge, split } from "../positions.ts"
import type { Log } from "../transfers.ts"
import { feeCharged, type Match, orderFilled, pairedShares, takerFilled, totalFee, transfersOf } from "./orders.ts"

/** The taker buys from sellers: assets go straight between them. */
const buyDirectly = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move, payFees } = transfersOf(exchange)
  return [
    ...makers.flatMap((maker) => [
      move(maker.wallet, taker.wallet, maker.token, maker.shares),
      ...feeCharged(exchange, maker),
      pay(taker.wallet, maker.wallet, maker.usd - maker.fee),
      orderFilled(exchange, maker, taker.wallet),
    ]),
    ...feeCharged(exchange, taker),
    ...takerFilled(match),
    ...payFees(taker.wallet, totalFee(makers) + taker.fee),
  ]
}

/** The taker sells to buyers: shares go straight to them, collateral through the exchange. */
const sellDirectly = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move, payFees } = transfersOf(exchange)
  return [
    ...makers.flatMap((maker) => [
      move(taker.wallet, maker.wallet, maker.token, maker.shares),
      pay(maker.wallet, exchange.address, maker.usd + maker.fee),
      ...feeCharged(exchange, maker),
      orderFilled(exchange, maker, taker.wallet),
    ]),
    ...feeCharged(exchange, taker),
    pay(exchange.address, taker.wallet, taker.usd - taker.fee),
    ...takerFilled(match),
    ...payFees(exchange.address, totalFee(makers) + taker.fee),
  ]
}

/** The exchange collects all assets, mints or merges the pairs at once, and distributes the result. */
const settlePairs = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move, payFees } = transfersOf(exchange)
  const makePairs = taker.buys ? split : merge
  const collected = [taker, ...makers].map(({ wallet, token, buys, usd, shares, fee }) =>
    buys ? pay(wallet, exchange.address, usd + fee) : move(wallet, exchange.address, token, shares),
  )
  const filled = makers.flatMap((maker) => [
    maker.buys
      ? move(exchange.address, maker.wallet, maker.token, maker.shares)
      : pay(exchange.address, maker.wallet, maker.usd - maker.fee),
    ...feeCharged(exchange, maker),
    orderFilled(exchange, maker, taker.wallet),
  ])
  const ended = taker.buys
    ? [
        ...feeCharged(exchange, taker),
        ...payFees(exchange.address, totalFee(makers) + taker.fee),
        move(exchange.address, taker.wallet, taker.token, taker.shares),
        ...takerFilled(match),
      ]
    : [
        ...payFees(exchange.address, totalFee(makers)),
        pay(exchange.address, taker.wallet, taker.usd - taker.fee),
        ...feeCharged(exchange, taker),
        ...takerFilled(match),
        ...payFees(exchange.address, taker.fee),
      ]
  return [...collected, ...makePairs(positions, exchange.address, pairedShares(match)), ...filled, ...ended]
}

export const settleSecond = (match: Match): ReadonlyArray<Log> => {
  if (pairedShares(match) > 0) return settlePairs(match)
  return match.taker.buys ? buyDirectly(match) : sellDirectly(match)
}
