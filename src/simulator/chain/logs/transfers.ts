import type { Market, Token } from "../../world/Venue.ts"
import { addressTopic, arrayWords, prefixed, word } from "../abi.ts"
import { address, topic } from "../contracts.ts"

/** A log as the contract emits it, without its block position. */
export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** A collateral transfer. */
export const pay = (collateral: string, from: string, to: string, amount: number): Log => ({
  address: collateral,
  topics: [topic.transfer, addressTopic(from), addressTopic(to)],
  data: prefixed(word(amount)),
})

/** A collateral transfer; contracts omit empty ones. */
export const payAny = (collateral: string, from: string, to: string, amount: number): ReadonlyArray<Log> =>
  amount === 0 ? [] : [pay(collateral, from, to, amount)]

/** Mints the second collateral for `to` against the first one of `from`, which goes to the vault. */
export const wrap = (caller: string, from: string, to: string, amount: number): ReadonlyArray<Log> => [
  pay(address.usdce, from, address.pusd, amount),
  pay(address.pusd, address.zero, to, amount),
  pay(address.usdce, address.pusd, address.collateralVault, amount),
  {
    address: address.pusd,
    topics: [topic.wrapped, addressTopic(caller), addressTopic(address.usdce), addressTopic(to)],
    data: prefixed(word(amount)),
  },
]

/** Burns the second collateral, which `from` sends to its contract, and releases the first one to `to`. */
export const unwrap = (caller: string, from: string, to: string, amount: number): ReadonlyArray<Log> => [
  pay(address.pusd, from, address.pusd, amount),
  pay(address.usdce, address.collateralVault, to, amount),
  pay(address.pusd, address.pusd, address.zero, amount),
  {
    address: address.pusd,
    topics: [topic.unwrapped, addressTopic(caller), addressTopic(address.usdce), addressTopic(to)],
    data: prefixed(word(amount)),
  },
]

/** Contract and parties of an ERC-1155 transfer. */
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

/** Transfers shares of one outcome. */
export const transferShares = (route: Route, token: Token, amount: number): Log => ({
  address: route.contract,
  topics: routeTopics(topic.transferSingle, route),
  data: prefixed(token.hex + word(amount)),
})

/** Transfers shares of several outcomes at once. */
export const transferSharesBatch = (
  route: Route,
  tokens: ReadonlyArray<Token>,
  amounts: ReadonlyArray<number>,
): Log => ({
  address: route.contract,
  topics: routeTopics(topic.transferBatch, route),
  data: prefixed(
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

/** Source and destination of deposits and withdrawals; a made-up account. */
const bank = "0x00000000000000000000000000000000ba4cba4c"

export const deposit = (wallet: string, amount: number, isSecond: boolean): ReadonlyArray<Log> =>
  isSecond ? wrap(address.collateralOnramp, bank, wallet, amount) : [pay(address.usdce, bank, wallet, amount)]

export const withdrawal = (wallet: string, amount: number, isSecond: boolean): ReadonlyArray<Log> =>
  isSecond ? unwrap(address.collateralOfframp, wallet, bank, amount) : [pay(address.usdce, wallet, bank, amount)]

/** Converts a wallet's first collateral into the second. */
export const migration = (wallet: string, amount: number): ReadonlyArray<Log> =>
  wrap(address.collateralOnramp, wallet, wallet, amount)

/** Made-up accounts from which the venue pays its makers. */
const payers = {
  rebate: "0x000000000000000000000000000000007e6a7e00",
  reward: "0x000000000000000000000000000000007e6a7e01",
}

export const payment = (purpose: keyof typeof payers, wallet: string, amount: number): ReadonlyArray<Log> => [
  pay(address.pusd, payers[purpose], wallet, amount),
]

const unlimited = "f".repeat(64)

/** Lets the combo exchange move a wallet's collateral and tokens, and the auto-redeemer its tokens. */
export const approvals = (wallet: string): ReadonlyArray<Log> => [
  {
    address: address.pusd,
    topics: [topic.approval, addressTopic(wallet), addressTopic(address.exchange3)],
    data: prefixed(unlimited),
  },
  ...[address.exchange3, address.autoRedeemer].map((operator) => ({
    address: address.positionManager,
    topics: [topic.approvalForAll, addressTopic(wallet), addressTopic(operator)],
    data: prefixed(word(1)),
  })),
]
