import { halfUp, minus, plus, type Shares, shares, type Usdc, usdc, worthOfPairs } from "#src/domain/amounts.ts"
import { exchanges } from "#src/upstream/chain/contracts.ts"
import type { FeeCharged, FeeRefunded, FeeWithdrawn, OrderFilled } from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import type { Transaction } from "./Transaction.ts"

/** Value of shares at the price of an order, rounded half up. */
const worth = (part: Shares, order: Pick<OrderFilled, "usd" | "shares">): Usdc => {
  const all = BigInt(order.shares)
  return usdc(all === 0n ? 0 : Number(halfUp(BigInt(part) * BigInt(order.usd), all)))
}

/** The makers' orders that the order of a taker was matched with: their logs precede its own. */
const makersOf = ({ logs }: Transaction, taker: OrderFilled, index: number): ReadonlyArray<OrderFilled> => {
  const makers: Array<OrderFilled> = []
  for (let i = index - 1; i >= 0; i--) {
    const event = logs[i]?.event
    if (event?._tag !== "OrderFilled" || event.exchange !== taker.exchange) continue
    if (event.taker !== taker.maker) break
    makers.push(event)
  }
  return makers
}

/**
 * What the order really cost. The log of a taker that buys names what it was asked for, also if the exchange returns a part
 * because makers offered a better price. A maker that buys the other outcome pays for its part of the minted pair.
 */
const costOf = (transaction: Transaction, order: OrderFilled, index: number): Usdc => {
  if (order.side === "sell" || order.taker !== order.exchange) return order.usd
  const makers = makersOf(transaction, order, index)
  const cost = makers.reduce(
    (sum, { side, shares: filled, usd }) => plus(sum, side === "sell" ? usd : minus(worthOfPairs(filled), usd)),
    usdc(0),
  )
  return makers.length > 0 && cost < order.usd ? cost : order.usd
}

/**
 * Whether an operator filled the order from its own stock. Otherwise the order was matched, and the log of the taker's own
 * order comes after those of the makers.
 */
const isFromStock = ({ logs }: Transaction, { generation, exchange, taker }: OrderFilled, index: number): boolean => {
  if (generation !== 1 || intermediaries.has(taker)) return false
  for (let next = index + 1; next < logs.length; next++) {
    const event = logs[next]?.event
    if (event?._tag === "OrderFilled" && event.taker === exchange) return event.maker !== taker
  }
  return true
}

/** The fee is withheld from what the owner of the order receives. */
const readStockFill = (transaction: Transaction, order: OrderFilled, index: number): void => {
  const { taker: wallet, token, fee } = order
  const change =
    order.side === "buy"
      ? { shares: minus(shares(fee), order.shares), paid: order.usd }
      : { shares: order.shares, paid: minus(usdc(fee), order.usd) }
  transaction.add(index, { kind: "stock_change", sub: 0, wallet, token, ...change })
}

export const readFill = (transaction: Transaction, order: OrderFilled, index: number): void => {
  const { exchange, orderHash, maker, side, token, fee, builder } = order
  transaction.add(index, {
    kind: "fill",
    exchange,
    orderHash,
    maker,
    taker: exchanges.has(order.taker) ? undefined : order.taker,
    side,
    token,
    shares: order.shares,
    usd: costOf(transaction, order, index),
    fee,
    feeInShares: order.feeIn === "shares",
    builder,
  })
  if (isFromStock(transaction, order, index)) readStockFill(transaction, order, index)
}

/** The order that a fee belongs to: on the older exchanges the log of the fee comes first. */
const nextOrder = ({ logs }: Transaction, { exchange }: FeeCharged, index: number): OrderFilled | undefined => {
  for (let next = index + 1; next < logs.length; next++) {
    const order = logs[next]?.event
    if (order?._tag === "OrderFilled" && order.exchange === exchange) return order
  }
  return undefined
}

/** On the third exchange, fees come before or after their orders, but in the same order. */
const orderOfSameRank = (transaction: Transaction, { exchange }: FeeCharged, index: number) => {
  const before = transaction.logs.slice(0, index)
  const rank = before.filter(({ event }) => event._tag === "FeeCharged" && event.exchange === exchange).length
  return transaction.eventsOf("OrderFilled").filter((order) => order.exchange === exchange && order.fee > 0)[rank]
}

const generationOf = (transaction: Transaction, { exchange }: FeeCharged) =>
  transaction.eventsOf("OrderFilled").find((order) => order.exchange === exchange)?.generation

export const readFeeCharge = (transaction: Transaction, event: FeeCharged, index: number): void => {
  const findOrder = generationOf(transaction, event) === 3 ? orderOfSameRank : nextOrder
  const order = findOrder(transaction, event, index)
  if (order === undefined) return
  const { receiver, amount } = event
  const { token, orderHash } = order
  const inShares = event.token !== undefined
  const usd = inShares ? worth(shares(amount), order) : usdc(amount)
  transaction.add(index, { kind: "fee_charge", receiver, token, inShares, amount, usd, orderHash })
  // A fee module keeps fees for the venue and refunds a part of them.
  if (!inShares || intermediaries.has(receiver)) return
  transaction.add(index, {
    kind: "stock_change",
    sub: 0,
    wallet: receiver,
    token,
    shares: shares(amount),
    paid: usdc(0),
  })
}

export const readFeeRefund = (transaction: Transaction, event: FeeRefunded, index: number): void => {
  const order = transaction.eventsOf("OrderFilled").find(({ orderHash }) => orderHash === event.orderHash)
  if (order === undefined) return
  const { orderHash, to: wallet, refund: amount } = event
  const inShares = event.token !== undefined
  transaction.add(index, { kind: "fee_refund", wallet, token: order.token, inShares, amount, orderHash })
}

/** Collateral that a fee module pays out is none of the shares' proceeds, so only shares count. */
export const readFeeWithdrawal = (transaction: Transaction, event: FeeWithdrawn, index: number): void => {
  const { to: wallet, token, amount } = event
  if (token === undefined || amount === 0 || intermediaries.has(wallet)) return
  transaction.add(index, { kind: "stock_change", sub: 0, wallet, token, shares: shares(amount), paid: usdc(0) })
}
