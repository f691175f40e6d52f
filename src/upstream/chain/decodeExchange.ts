import { type Amount, shares, usdc } from "#src/domain/amounts.ts"
import type { Generation } from "./contracts.ts"
import type {
  FeeCharged,
  FeeRefunded,
  FeeWithdrawn,
  OrderFilled,
  OrdersMatched,
  Side,
  TokenRegistered,
} from "./events.ts"
import {
  addressAt,
  DecodeError,
  expectShape,
  feeAt,
  flagAt,
  numberAt,
  type RawLog,
  tokenAt,
  topicAddress,
  topicNumber,
  topicWord,
  unlessZero,
  wordAt,
} from "./words.ts"

interface Terms {
  readonly side: Side
  readonly token: string
}

/** The first generation names the given and the received asset; 0 is collateral. */
const terms1 = (log: RawLog): Terms => {
  const given = tokenAt(log, 0)
  const received = tokenAt(log, 1)
  if (given === undefined && received !== undefined) return { side: "buy", token: received }
  if (given !== undefined && received === undefined) return { side: "sell", token: given }
  throw new DecodeError("not a trade of shares for collateral")
}

const terms2 = (log: RawLog): Terms => ({ side: flagAt(log, 0) ? "sell" : "buy", token: wordAt(log, 1) })

export const orderFilled1 = (log: RawLog, exchange: string): OrderFilled => {
  expectShape(log, 4, 5)
  const { side, token } = terms1(log)
  const isBuy = side === "buy"
  const given = numberAt(log, 2)
  const received = numberAt(log, 3)
  return {
    _tag: "OrderFilled",
    exchange,
    generation: 1,
    orderHash: topicWord(log, 1),
    maker: topicAddress(log, 2),
    side,
    token,
    shares: shares(isBuy ? received : given),
    usd: usdc(isBuy ? given : received),
    taker: topicAddress(log, 3),
    fee: feeAt(log, 4),
    feeIn: isBuy ? "shares" : "collateral",
    builder: undefined,
  }
}

export const orderFilled2 =
  (generation: Generation) =>
  (log: RawLog, exchange: string): OrderFilled => {
    expectShape(log, 4, 7)
    const { side, token } = terms2(log)
    const isBuy = side === "buy"
    const given = numberAt(log, 2)
    const received = numberAt(log, 3)
    return {
      _tag: "OrderFilled",
      exchange,
      generation,
      orderHash: topicWord(log, 1),
      maker: topicAddress(log, 2),
      side,
      token,
      shares: shares(isBuy ? received : given),
      usd: usdc(isBuy ? given : received),
      taker: topicAddress(log, 3),
      fee: feeAt(log, 4),
      feeIn: "collateral",
      builder: unlessZero(wordAt(log, 5)),
    }
  }

export const ordersMatched =
  (generation: Generation) =>
  (log: RawLog, exchange: string): OrdersMatched => {
    expectShape(log, 3, 4)
    const { side, token } = generation === 1 ? terms1(log) : terms2(log)
    const isBuy = side === "buy"
    const given = numberAt(log, 2)
    const received = numberAt(log, 3)
    return {
      _tag: "OrdersMatched",
      exchange,
      generation,
      orderHash: topicWord(log, 1),
      maker: topicAddress(log, 2),
      side,
      token,
      shares: shares(isBuy ? received : given),
      usd: usdc(isBuy ? given : received),
    }
  }

export const feeCharged1 = (log: RawLog, exchange: string): FeeCharged => {
  expectShape(log, 2, 2)
  return {
    _tag: "FeeCharged",
    exchange,
    receiver: topicAddress(log, 1),
    token: tokenAt(log, 0),
    amount: feeAt(log, 1),
  }
}

export const feeCharged2 = (log: RawLog, exchange: string): FeeCharged => {
  expectShape(log, 2, 1)
  return { _tag: "FeeCharged", exchange, receiver: topicAddress(log, 1), token: undefined, amount: feeAt(log, 0) }
}

export const feeRefunded = (log: RawLog, module: string): FeeRefunded => {
  expectShape(log, 4, 2)
  return {
    _tag: "FeeRefunded",
    module,
    orderHash: topicWord(log, 1),
    to: topicAddress(log, 2),
    token: tokenAt(log, 0),
    refund: feeAt(log, 1),
    charged: topicNumber(log, 3) as Amount,
  }
}

export const feeWithdrawn = (log: RawLog, module: string): FeeWithdrawn => {
  expectShape(log, 1, 4)
  return { _tag: "FeeWithdrawn", module, to: addressAt(log, 1), token: tokenAt(log, 2), amount: feeAt(log, 3) }
}

export const tokenRegistered = (log: RawLog, exchange: string): TokenRegistered => {
  expectShape(log, 4, 0)
  return {
    _tag: "TokenRegistered",
    exchange,
    token: topicWord(log, 1),
    complement: topicWord(log, 2),
    condition: topicWord(log, 3),
  }
}
