import { Effect } from "effect"

/** Parsed without a yield: half a millisecond or so. */
const partLength = 64 * 1024

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])
const list = 0x5b

/** The text is not JSON, or not as long lists are written; the usual parser says what is wrong. */
class NotInParts extends Error {}

/** The position behind a string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((at - before) % 2 === 1) return at + 1
  }
  throw new NotInParts()
}

/** The position behind a value: that of the next comma or closing bracket. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at)
      continue
    }
    if (depth === 0 && (code === comma || closing.has(code))) return at
    if (opening.has(code)) depth++
    else if (closing.has(code)) depth--
    at++
  }
  throw new NotInParts()
}

type ParseElement = (text: string) => unknown

/** The elements of the list that begins at `start`, and the position of its closing bracket. */
const elementsFrom = Effect.fnUntraced(function* (text: string, start: number, parse: ParseElement) {
  const elements: Array<unknown> = []
  let from = start + 1
  for (let parsed = from; ; ) {
    const end = endOfValue(text, from)
    const isLast = text.charCodeAt(end) !== comma
    const element = text.slice(from, end)
    // Only a list without elements may have nothing between its brackets.
    if (!isLast || elements.length > 0 || element.trim() !== "") elements.push(parse(element))
    if (isLast) return { elements, end }
    from = end + 1
    if (from - parsed < partLength) continue
    yield* Effect.yieldNow
    parsed = from
  }
})

/** Parses an object at the top, its lists element by element. */
const parsedObject = Effect.fnUntraced(function* (text: string, parse: ParseElement) {
  const start = text.search(/\S/)
  const lists: Array<ReadonlyArray<unknown>> = []
  // The text with the place of each list among the lists instead of its elements.
  let skeleton = ""
  let copied = 0
  for (let at = start + 1, depth = 1; at < text.length && depth > 0; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === list && depth === 1) {
      const { elements, end } = yield* elementsFrom(text, at, parse)
      skeleton += `${text.slice(copied, at + 1)}${lists.length}`
      lists.push(elements)
      copied = end
      at = end + 1
    } else {
      if (opening.has(code)) depth++
      else if (closing.has(code)) depth--
      at++
    }
  }
  const rest = JSON.parse(skeleton + text.slice(copied)) as Readonly<Record<string, unknown>>
  const whole = (value: unknown) => (Array.isArray(value) ? lists[value[0]] : value)
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, whole(value)]))
})

/** Parses a list at the top. */
const parsedList = Effect.fnUntraced(function* (text: string, parse: ParseElement) {
  const { elements, end } = yield* elementsFrom(text, text.indexOf("["), parse)
  if (text.slice(end).trim() !== "]") throw new NotInParts()
  return elements
})

/**
 * Parses JSON as `JSON.parse` does, but lets other fibers run between the elements of a list at the top, or of the lists in
 * an object at the top: a page of events would hold up live ticks. `parseElement` may leave the elements as they are.
 */
export const jsonInParts = (text: string, parseElement?: ParseElement): Effect.Effect<unknown, Error> =>
  Effect.suspend(() => {
    const first = text.length > partLength || parseElement !== undefined ? /\S/.exec(text)?.[0] : undefined
    const parse = parseElement ?? JSON.parse
    const parsed: Effect.Effect<unknown> | undefined =
      first === "[" ? parsedList(text, parse) : first === "{" ? parsedObject(text, parse) : undefined
    const atOnce = Effect.try({ try: (): unknown => JSON.parse(text), catch: (error) => error as Error })
    return parsed === undefined ? atOnce : Effect.catchDefect(parsed, () => atOnce)
  })
