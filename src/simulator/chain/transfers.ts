import type { ExchangeName, Market, Token } from "../world/Venue.ts"
import { address, topic } from "./contracts.ts"
import { addressTopic, arrayWords, asTopic, padded, word, zeroWord } from "./words.ts"

/** A log as the contract emits it, before it has a place in a block. */
export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

export const isSecond = (exchange: ExchangeName) => exchange === "ctf2" || exchange === "negRisk2"
export const isNegRisk = (exchange: ExchangeName) => exchange === "negRisk1" || exchange === "negRisk2"
export const collateralOf = (exchange: ExchangeName) => (isSecond(exchange) ? address.pusd : address.usdce)

type Tokens = ReadonlyArray<Token>
const hexOf = (tokens: Tokens, token: number) => (tokens[token] as Token).hex

/** Collateral goes from one to another. */
export const pay = (collateral: string, from: string, to: string, amount: number): Log => ({
  address: collateral,
  topics: [topic.transfer, addressTopic(from), addressTopic(to)],
  data: asTopic(word(amount)),
})

/** Shares of one outcome go from one to another. */
export const move = (
  tokens: Tokens,
  from: string,
  to: string,
  token: number,
  amount: number,
  operator = from,
): Log => ({
  address: address.ctf,
  topics: [topic.transferSingle, addressTopic(operator), addressTopic(from), addressTopic(to)],
  data: asTopic(hexOf(tokens, token) + word(amount)),
})

/** Shares of both outcomes go from one to another, or come into being, or cease to be. */
export const moveBoth = (
  tokens: Tokens,
  operator: string,
  from: string,
  to: string,
  market: Market,
  amount: number,
): Log => {
  const ids = word(2) + hexOf(tokens, market.tokens[0]) + hexOf(tokens, market.tokens[1])
  return {
    address: address.ctf,
    topics: [topic.transferBatch, addressTopic(operator), addressTopic(from), addressTopic(to)],
    data: asTopic(word(64) + word(160) + ids + arrayWords([amount, amount])),
  }
}

/** The CTF's own event of a split or merge by `holder`. */
export const splitOrMerge = (holder: string, market: Market, amount: number, splits: boolean): Log => {
  const collateral = isNegRisk(market.exchange) ? address.wrappedCollateral : address.usdce
  return {
    address: address.ctf,
    topics: [
      splits ? topic.positionSplit : topic.positionsMerge,
      addressTopic(holder),
      asTopic(zeroWord),
      market.conditionId,
    ],
    data: asTopic(padded(collateral) + word(96) + word(amount) + arrayWords([1, 2])),
  }
}
