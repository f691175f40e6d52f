import type { Market, Token } from "../../world/Venue.ts"
import { address, topic } from "../contracts.ts"
import { addressTopic, arrayWords, asTopic, word } from "../words.ts"

/** A log as the contract emits it, before it has a place in a block. */
export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** Collateral goes from one to another. */
export const pay = (collateral: string, from: string, to: string, amount: number): Log => ({
  address: collateral,
  topics: [topic.transfer, addressTopic(from), addressTopic(to)],
  data: asTopic(word(amount)),
})

/** The second collateral comes into being for `to` against the first one of `from`. */
export const wrap = (caller: string, from: string, to: string, amount: number): ReadonlyArray<Log> => [
  pay(address.usdce, from, address.pusd, amount),
  pay(address.pusd, address.zero, to, amount),
  {
    address: address.pusd,
    topics: [topic.wrapped, addressTopic(caller), addressTopic(address.usdce), addressTopic(to)],
    data: asTopic(word(amount)),
  },
]

/** The second collateral of `from` ceases to be, and the first one goes to `to`. */
export const unwrap = (caller: string, from: string, to: string, amount: number): ReadonlyArray<Log> => [
  pay(address.pusd, from, address.zero, amount),
  pay(address.usdce, address.pusd, to, amount),
  {
    address: address.pusd,
    topics: [topic.unwrapped, addressTopic(caller), addressTopic(address.usdce), addressTopic(to)],
    data: asTopic(word(amount)),
  },
]

/** Which token contract moves, on whose word, from whom to whom. */
export interface Route {
  readonly contract: string
  readonly operator: string
  readonly from: string
  readonly to: string
}

const routeTopics = (kind: string, { operator, from, to }: Route) => [
  kind,
  addressTopic(operator),
  addressTopic(from),
  addressTopic(to),
]

/** Shares of one outcome. */
export const move = (route: Route, token: Token, amount: number): Log => ({
  address: route.contract,
  topics: routeTopics(topic.transferSingle, route),
  data: asTopic(token.hex + word(amount)),
})

/** Shares of several outcomes at once. */
export const moveAll = (route: Route, tokens: ReadonlyArray<Token>, amounts: ReadonlyArray<number>): Log => ({
  address: route.contract,
  topics: routeTopics(topic.transferBatch, route),
  data: asTopic(
    word(64) +
      word(96 + 32 * tokens.length) +
      word(tokens.length) +
      tokens.map(({ hex }) => hex).join("") +
      arrayWords(amounts),
  ),
})

export type TokenPair = readonly [Token, Token]

export const pairOf = (tokens: ReadonlyArray<Token>, market: Market): TokenPair => [
  tokens[market.tokens[0]] as Token,
  tokens[market.tokens[1]] as Token,
]
