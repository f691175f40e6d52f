import type { ComboOperation } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { addressTopic, paddedAddress, prefixed, word } from "../abi.ts"
import { address, topic } from "../contracts.ts"
import { comboPrepared } from "./lifecycle.ts"
import { type Log, payAny, transferShares } from "./transfers.ts"

export interface ChangedCombo {
  readonly operation: ComboOperation
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

const eventOf = (change: ChangedCombo, wallet: string): Log => {
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
  }[operation] as [string, ReadonlyArray<string>, string]
  return { address: address.comboModule, topics: [kind, addressTopic(address.router), ...topics], data: prefixed(data) }
}

/** The router hands the shares to the module, which prepares what is new, mints, and burns what it was given. */
export const changeCombo = (change: ChangedCombo, wallet: string): ReadonlyArray<Log> => {
  const { comboModule, positionManager: contract, pusd, router, zero } = address
  const { given, received, prepared, amount, created, paid } = change
  const legs = prepared.map(comboPrepared)
  return [
    ...legs.flatMap(({ registered }) => registered),
    ...given.map((token) =>
      transferShares({ contract, operator: router, from: wallet, to: comboModule }, token, amount),
    ),
    ...legs.map(({ preparation }) => preparation),
    ...payAny(pusd, zero, wallet, paid),
    ...received.map((token) =>
      transferShares({ contract, operator: comboModule, from: zero, to: wallet }, token, created),
    ),
    ...given.map((token) =>
      transferShares({ contract, operator: comboModule, from: comboModule, to: zero }, token, amount),
    ),
    eventOf(change, wallet),
  ]
}
