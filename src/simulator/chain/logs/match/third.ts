import { address } from "../../contracts.ts"
import { mergeAtModule, splitAtModule } from "../positions.ts"
import type { Log } from "../transfers.ts"
import {
  feeCharged,
  isPaired,
  type Match,
  orderFilled,
  pairedShares,
  takerFilled,
  totalFee,
  transfersOf,
} from "./orders.ts"

const feesOf = ({ taker, makers }: Match): number => totalFee(makers) + taker.fee

const buyDirectly = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move, payFees } = transfersOf(exchange)
  return [
    ...makers.flatMap((maker) => [
      move(maker.wallet, taker.wallet, maker.token, maker.shares),
      pay(taker.wallet, maker.wallet, maker.usd - maker.fee),
      orderFilled(exchange, maker, taker.wallet),
      ...feeCharged(exchange, maker),
    ]),
    ...feeCharged(exchange, taker),
    ...payFees(taker.wallet, feesOf(match)),
    ...takerFilled(match),
  ]
}

/** Without fees, collateral goes straight to the taker too. */
const sellWithoutFees = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move } = transfersOf(exchange)
  return [
    ...makers.flatMap((maker) => [
      move(taker.wallet, maker.wallet, maker.token, maker.shares),
      pay(maker.wallet, taker.wallet, maker.usd),
      orderFilled(exchange, maker, taker.wallet),
    ]),
    ...takerFilled(match),
  ]
}

const sellWithFees = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move, payFees } = transfersOf(exchange)
  return [
    ...makers.flatMap((maker) => [
      orderFilled(exchange, maker, taker.wallet),
      pay(maker.wallet, exchange.address, maker.usd + maker.fee),
      move(taker.wallet, maker.wallet, maker.token, maker.shares),
      ...feeCharged(exchange, maker),
    ]),
    pay(exchange.address, taker.wallet, taker.usd - taker.fee),
    ...feeCharged(exchange, taker),
    ...payFees(exchange.address, feesOf(match)),
    ...takerFilled(match),
  ]
}

/** What ends a match in which pairs were minted or merged. */
const ended = (match: Match): ReadonlyArray<Log> => {
  const { exchange } = match.positions
  return [
    ...transfersOf(exchange).payFees(exchange.address, feesOf(match)),
    ...feeCharged(exchange, match.taker),
    ...takerFilled(match),
  ]
}

/** All makers' fills come before the pairs are minted, their fees after it. */
const mint = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move } = transfersOf(exchange)
  const paired = pairedShares(match)
  return [
    pay(taker.wallet, exchange.address, taker.usd + taker.fee),
    ...makers.flatMap((maker) => [
      maker.buys
        ? pay(maker.wallet, exchange.address, maker.usd + maker.fee)
        : move(maker.wallet, exchange.address, maker.token, maker.shares),
      orderFilled(exchange, maker, taker.wallet),
    ]),
    pay(exchange.address, address.comboModule, paired),
    ...splitAtModule(positions, exchange.address, [exchange.address, exchange.address], paired),
    ...makers.flatMap((maker) => [
      maker.buys
        ? move(exchange.address, maker.wallet, maker.token, maker.shares)
        : pay(exchange.address, maker.wallet, maker.usd - maker.fee),
      ...feeCharged(exchange, maker),
    ]),
    move(exchange.address, taker.wallet, taker.token, taker.shares),
    ...ended(match),
  ]
}

/** Sellers hand their shares to the module; those of the taker that a maker buys go straight to the maker. */
const mergePairs = (match: Match): ReadonlyArray<Log> => {
  const { positions, taker, makers } = match
  const { exchange } = positions
  const { pay, move } = transfersOf(exchange)
  const paired = pairedShares(match)
  return [
    ...makers.flatMap((maker) => [
      isPaired(match, maker)
        ? move(maker.wallet, address.comboModule, maker.token, maker.shares)
        : pay(maker.wallet, exchange.address, maker.usd + maker.fee),
      orderFilled(exchange, maker, taker.wallet),
    ]),
    move(taker.wallet, address.comboModule, taker.token, paired),
    ...mergeAtModule(positions, exchange.address, exchange.address, paired),
    ...makers.flatMap((maker) => [
      isPaired(match, maker)
        ? pay(exchange.address, maker.wallet, maker.usd - maker.fee)
        : move(taker.wallet, maker.wallet, maker.token, maker.shares),
      ...feeCharged(exchange, maker),
    ]),
    pay(exchange.address, taker.wallet, taker.usd - taker.fee),
    ...ended(match),
  ]
}

export const settleThird = (match: Match): ReadonlyArray<Log> => {
  if (pairedShares(match) > 0) return match.taker.buys ? mint(match) : mergePairs(match)
  if (match.taker.buys) return buyDirectly(match)
  return feesOf(match) === 0 ? sellWithoutFees(match) : sellWithFees(match)
}
