import type { ComboOperation } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { addressTopic, paddedAddress, prefixed, word } from "../abi.ts"
import { address, topic } from "../contracts.ts"
import { comboPrepared } from "./lifecycle.ts"
import { mergeAtModule, type Positions } from "./positions.ts"
import { type Log, payAny, type Route, transferShares, transferSharesBatch } from "./transfers.ts"

/** What the module does in one call; only a sequence has several. */
type ModuleOperation = Exclude<ComboOperation, "return">

interface Changed<Operation extends ComboOperation> {
  readonly operation: Operation
  /** The combo that is split, merged into, compressed or exchanged. */
  readonly market: Market
  readonly given: ReadonlyArray<Token>
  readonly received: ReadonlyArray<Token>
  readonly prepared: ReadonlyArray<Market>
  readonly amount: number
  readonly created: number
  readonly paid: number
}

/** A condition of 31 bytes as a word of the data. */
const conditionWord = ({ market }: Token) => market.conditionId.slice(2)

const sameFor = (tokens: ReadonlyArray<Token>, wallet: string) => tokens.map(() => paddedAddress(wallet)).join("")

const eventOf = (change: Changed<ModuleOperation>, wallet: string): Log => {
  const { operation, market, given, received, amount, created, paid } = change
  const [kind, topics, data] = {
    compress: [
      topic.comboCompressed,
      [...given, ...received].map(({ hex }) => prefixed(hex)),
      paddedAddress(wallet) + word(amount) + word(created) + word(paid),
    ],
    split: [
      topic.splitOnCondition,
      [market.conditionId],
      received.map(conditionWord).join("") + sameFor(received, wallet) + word(amount),
    ],
    merge: [
      topic.mergedOnCondition,
      [market.conditionId],
      given.map(conditionWord).join("") + paddedAddress(wallet) + word(amount),
    ],
    convert_to_yes_basket: [
      topic.convertedToYesBasket,
      [market.conditionId],
      word(64) + word(amount) + word(received.length) + sameFor(received, wallet),
    ],
    merge_from_yes_basket: [topic.mergedFromYesBasket, [market.conditionId], paddedAddress(wallet) + word(amount)],
    extract: [
      topic.comboExtracted,
      [market.conditionId],
      received.map(conditionWord).join("") + sameFor(received, wallet) + word(amount),
    ],
    inject: [
      topic.comboInjected,
      [market.conditionId],
      given.map(conditionWord).join("") + paddedAddress(wallet) + word(amount),
    ],
    wrap: [topic.comboWrapped, [], hexes([...given, ...received]) + paddedAddress(wallet) + word(amount)],
    unwrap: [topic.comboUnwrapped, [], hexes([...given, ...received]) + paddedAddress(wallet) + word(amount)],
  }[operation] as [string, ReadonlyArray<string>, string]
  return { address: address.comboModule, topics: [kind, addressTopic(address.router), ...topics], data: prefixed(data) }
}

const hexes = (tokens: ReadonlyArray<Token>) => tokens.map(({ hex }) => hex).join("")

/** One token moves alone, several at once. */
const moveTokens = (route: Route, tokens: ReadonlyArray<Token>, amount: number): Log => {
  const [first, ...others] = tokens
  if (first !== undefined && others.length === 0) return transferShares(route, first, amount)
  return transferSharesBatch(
    route,
    tokens,
    tokens.map(() => amount),
  )
}

/** The router hands over a basket at once, and pairs one by one. */
const handOver = ({ operation, given, amount }: Changed<ComboOperation>, wallet: string): ReadonlyArray<Log> => {
  const { comboModule: to, positionManager: contract, router: operator } = address
  const route = { contract, operator, from: wallet, to }
  const isOneByOne = operation === "merge" || operation === "inject"
  return isOneByOne ? given.map((token) => transferShares(route, token, amount)) : [moveTokens(route, given, amount)]
}

/** The router lets the module merge two combos, keep the result, and merge that into collateral. */
export const returnCollateral = (
  change: Changed<ComboOperation>,
  positions: Positions,
  wallet: string,
): ReadonlyArray<Log> => {
  const { comboModule, positionManager: contract, router, zero } = address
  const { given, market, amount } = change
  const parts = given.slice(0, -1)
  const merged = eventOf({ ...change, operation: "merge", given: parts, market }, comboModule)
  return [
    ...handOver(change, wallet),
    transferShares({ contract, operator: comboModule, from: zero, to: comboModule }, positions.tokens[0], amount),
    moveTokens({ contract, operator: comboModule, from: comboModule, to: zero }, parts, amount),
    merged,
    ...mergeAtModule(positions, router, wallet, amount),
    { address: router, topics: [topic.combosReturned, addressTopic(wallet)], data: prefixed(word(2)) },
  ]
}

/** The router hands the shares to the module, which prepares what is new, mints, and burns what it was given. */
export const changeCombo = (change: Changed<ModuleOperation>, wallet: string): ReadonlyArray<Log> => {
  const { comboModule, positionManager: contract, pusd, zero } = address
  const { given, received, prepared, amount, created, paid } = change
  const legs = prepared.map(comboPrepared)
  return [
    ...legs.flatMap(({ registered }) => registered),
    ...handOver(change, wallet),
    ...legs.map(({ preparation }) => preparation),
    ...payAny(pusd, zero, wallet, paid),
    ...received.map((token) =>
      transferShares({ contract, operator: comboModule, from: zero, to: wallet }, token, created),
    ),
    moveTokens({ contract, operator: comboModule, from: comboModule, to: zero }, given, amount),
    eventOf(change, wallet),
  ]
}
