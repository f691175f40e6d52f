import { Effect } from "effect"
import { type ClientMessage, maxItems } from "#src/streams/protocol/client.ts"
import { partItems, partTurn } from "../channel/turns.ts"
import { decodeMessage, parseMessage, type RawMessage, refused } from "./readMessage.ts"

/** Characters from which a message is read in parts: about 700 wallets. */
const largeCharacters = 32_768

export const isLarge = (text: string): boolean => text.length > largeCharacters

/** A long list in a message, or one level deeper. */
interface LongList {
  readonly place: readonly [string] | readonly [string, string]
  readonly items: ReadonlyArray<unknown>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isLong = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length > partItems

const longLists = (message: RawMessage): ReadonlyArray<LongList> =>
  Object.entries(message).flatMap(([name, value]): ReadonlyArray<LongList> => {
    if (isLong(value)) return [{ place: [name], items: value }]
    if (!isObject(value)) return []
    return Object.entries(value).flatMap(([inner, list]) =>
      isLong(list) ? [{ place: [name, inner], items: list }] : [],
    )
  })

const withList = <A extends object>(message: A, { place: [outer, inner] }: LongList, items: unknown): A => {
  if (inner === undefined) return { ...message, [outer]: items }
  return { ...message, [outer]: { ...(Reflect.get(message, outer) as object), [inner]: items } }
}

/**
 * Reads a message with long lists. Checking all items at once would hold up everybody else, so they are checked in
 * parts: the whole message is decoded once per part, with no more than one item of the other lists.
 */
export const readLargeMessage = Effect.fnUntraced(function* (text: string) {
  const message = yield* Effect.fromResult(parseMessage(text))
  const lists = longLists(message)
  const short = lists.reduce((rest, list) => withList(rest, list, list.items.slice(0, 1)), message)
  const tooLong = lists.find(({ items }) => items.length > maxItems)
  if (tooLong !== undefined) {
    const filled = withList(short, tooLong, new Array(maxItems + 1).fill(tooLong.items[0]))
    yield* Effect.fromResult(decodeMessage(filled))
    return yield* Effect.fromResult(refused(`${tooLong.place.join(".")}: at most ${maxItems} items`, "input_too_large"))
  }
  const decoded = yield* Effect.fromResult(decodeMessage(short))
  for (const list of lists) {
    for (let from = 0; from < list.items.length; from += partItems) {
      yield* partTurn
      const part = withList(short, list, list.items.slice(from, from + partItems))
      yield* Effect.fromResult(decodeMessage(part, (path) => itemPath(path, list, from)))
    }
  }
  // Decoding changes no item, so the lists are as they were.
  return lists.reduce<ClientMessage>((whole, list) => withList(whole, list, list.items), decoded)
})

/** The path of a problem in a part, with the index that the item has in the whole list. */
const itemPath = (path: ReadonlyArray<PropertyKey>, { place }: LongList, from: number): ReadonlyArray<PropertyKey> => {
  const isInList = place.every((name, i) => path[i] === name)
  return path.map((key, i) => (isInList && i === place.length && typeof key === "number" ? key + from : key))
}
