import type { ComboOperation } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { addressTopic, paddedAddress, prefixed, word } from "../abi.ts"
import { address, topic } from "../contracts.ts"
import { comboPrepared } from "./lifecycle.ts"
import { mergeAtModule, type Positions, splitAtModule } from "./positions.ts"
import { type Log, payAny, transferShares, transferSharesBatch } from "./transfers.ts"

export interface ChangedCombo {
  readonly operation: ComboOperation
  /** The combo that is split, merged into, compressed, exchanged or put together. */
  readonly positions: Positions
  readonly given: ReadonlyArray<Token>
  readonly received: ReadonlyArray<Token>
  readonly prepared: ReadonlyArray<Market>
  readonly amount: number
  readonly created: number
  readonly paid: number
}

/** Who receives a token: the wallet, or the module if it uses the token next. */
type RecipientOf = (token: Token) => string

const { comboModule: module, positionManager: contract, pusd, router, zero } = address

/** A condition of 31 bytes as a word of the data. */
const conditionWord = ({ market }: Token) => market.conditionId.slice(2)
const conditionWords = (tokens: ReadonlyArray<Token>) => tokens.map(conditionWord).join("")
const tokenWords = (tokens: ReadonlyArray<Token>) => tokens.map(({ hex }) => hex).join("")

const eventOf = (change: ChangedCombo, recipientOf: RecipientOf): Log => {
  const { operation, positions, given, received, amount, created, paid } = change
  const { conditionId } = positions.market
  const [first] = received
  const recipient = paddedAddress(first === undefined ? "" : recipientOf(first))
  const recipients = received.map((token) => paddedAddress(recipientOf(token))).join("")
  const event = (kind: string, topics: ReadonlyArray<string>, ...words: ReadonlyArray<string>): Log => ({
    address: module,
    topics: [kind, addressTopic(router), ...topics],
    data: prefixed(words.join("")),
  })
  switch (operation) {
    case "compress": {
      const tokens = [...given, ...received].map(({ hex }) => prefixed(hex))
      return event(topic.comboCompressed, tokens, recipient, word(amount), word(created), word(paid))
    }
    case "split":
    case "extract": {
      const kind = operation === "split" ? topic.splitOnCondition : topic.comboExtracted
      return event(kind, [conditionId], conditionWords(received), recipients, word(amount))
    }
    case "merge":
    case "inject": {
      const kind = operation === "merge" ? topic.mergedOnCondition : topic.comboInjected
      return event(kind, [conditionId], conditionWords(given), recipient, word(amount))
    }
    case "convert_to_yes_basket": {
      const count = word(received.length)
      return event(topic.convertedToYesBasket, [conditionId], word(64), word(amount), count, recipients)
    }
    case "merge_from_yes_basket":
      return event(topic.mergedFromYesBasket, [conditionId], recipient, word(amount))
    case "wrap":
    case "unwrap": {
      const kind = operation === "wrap" ? topic.comboWrapped : topic.comboUnwrapped
      return event(kind, [], tokenWords([...given, ...received]), recipient, word(amount))
    }
    default:
      throw new Error(`${operation} has logs of its own`)
  }
}

const moveAll = (from: string, to: string, tokens: ReadonlyArray<Token>, amounts: ReadonlyArray<number>): Log =>
  transferSharesBatch({ contract, operator: from === module ? module : router, from, to }, tokens, amounts)

const isBasket = ({ operation }: ChangedCombo) => operation === "merge_from_yes_basket"

/** The router hands a basket over at once, and other tokens one by one. */
const handOver = (change: ChangedCombo, wallet: string): ReadonlyArray<Log> => {
  const { given, amount } = change
  const route = { contract, operator: router, from: wallet, to: module }
  if (!isBasket(change)) return given.map((token) => transferShares(route, token, amount))
  return [
    moveAll(
      wallet,
      module,
      given,
      given.map(() => amount),
    ),
  ]
}

const burn = (change: ChangedCombo): Log => {
  const { given, amount } = change
  const [token] = given
  const isOne = token !== undefined && given.length === 1 && !isBasket(change)
  if (isOne) return transferShares({ contract, operator: module, from: module, to: zero }, token, amount)
  return moveAll(
    module,
    zero,
    given,
    given.map(() => amount),
  )
}

/** What the module does with what it was given: it prepares what is new, mints, and burns. */
const operate = (change: ChangedCombo, wallet: string, recipientOf: RecipientOf): ReadonlyArray<Log> => {
  const { operation, positions, received, prepared, amount, created, paid } = change
  if (operation === "split_collateral") {
    const [yes, no] = positions.tokens.map(recipientOf) as [string, string]
    return splitAtModule(positions, router, [yes, no], amount)
  }
  if (operation === "merge_collateral") return mergeAtModule(positions, router, wallet, amount)
  return [
    ...prepared.map((combo) => comboPrepared(combo).preparation),
    ...payAny(pusd, zero, wallet, paid),
    ...received.map((token) =>
      transferShares({ contract, operator: module, from: zero, to: recipientOf(token) }, token, created),
    ),
    burn(change),
    eventOf(change, recipientOf),
  ]
}

/** Everything that the steps need and do not make themselves. */
const inputsOf = (changes: ReadonlyArray<ChangedCombo>) => {
  const made = new Set(changes.flatMap(({ received }) => received))
  const tokens = changes.flatMap(({ given, amount }) =>
    given.filter((token) => !made.has(token)).map((token) => ({ token, amount })),
  )
  return { tokens, collateral: changes.reduce((sum, { paid }) => sum + Math.max(0, -paid), 0) }
}

/** The module keeps what it makes for a later step, and the router logs the end. */
const sequence = (changes: ReadonlyArray<ChangedCombo>, wallet: string): ReadonlyArray<Log> => {
  const { tokens, collateral } = inputsOf(changes)
  const handedOver = moveAll(
    wallet,
    module,
    tokens.map(({ token }) => token),
    tokens.map(({ amount }) => amount),
  )
  return [
    ...payAny(pusd, wallet, module, collateral),
    ...(tokens.length === 0 ? [] : [handedOver]),
    ...changes.flatMap((change, i) => {
      const needed = new Set(changes.slice(i + 1).flatMap(({ given }) => given))
      return operate(change, wallet, (token) => (needed.has(token) ? module : wallet))
    }),
    {
      address: router,
      topics: [topic.sequenceEnded, addressTopic(wallet)],
      data: prefixed(word(changes.length)),
    },
  ]
}

/** One change of a combo, or several in a sequence of the router. */
export const changeCombo = (changes: ReadonlyArray<ChangedCombo>, wallet: string): ReadonlyArray<Log> => {
  const registered = changes.flatMap(({ prepared }) => prepared.flatMap((combo) => comboPrepared(combo).registered))
  const [only, ...others] = changes
  if (only === undefined || others.length > 0) return [...registered, ...sequence(changes, wallet)]
  return [...registered, ...handOver(only, wallet), ...operate(only, wallet, () => wallet)]
}
