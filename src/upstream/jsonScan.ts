/** Read without a pause: half a millisecond or so. */
export const partLength = 64 * 1024

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

/** Makes an element of a list from its place in the text, and parses what is around the lists. */
export interface Reading {
  readonly element: (text: string, start: number, end: number) => unknown
  readonly rest: (text: string) => unknown
}

/** The elements of the list that begins at `start`, and the position of its closing bracket. */
function* elementsFrom(text: string, start: number, { element }: Reading) {
  const elements: Array<unknown> = []
  let from = start + 1
  for (let read = from; ; ) {
    const end = endOfValue(text, from)
    const isLast = text.charCodeAt(end) !== comma
    // Only a list without elements may have nothing between its brackets.
    if (!isLast || elements.length > 0 || text.slice(from, end).trim() !== "") elements.push(element(text, from, end))
    if (isLast) return { elements, end }
    from = end + 1
    if (from - read < partLength) continue
    yield
    read = from
  }
}

function* objectIn(text: string, reading: Reading) {
  const start = text.search(/\S/)
  const lists: Array<ReadonlyArray<unknown>> = []
  // The text with the place of each list among the lists instead of its elements.
  let skeleton = ""
  let copied = 0
  for (let at = start + 1, depth = 1; at < text.length && depth > 0; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === list && depth === 1) {
      const { elements, end } = yield* elementsFrom(text, at, reading)
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
  const rest = reading.rest(skeleton + text.slice(copied)) as Readonly<Record<string, unknown>>
  const whole = (value: unknown) => (Array.isArray(value) ? lists[value[0]] : value)
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, whole(value)]))
}

function* listIn(text: string, reading: Reading) {
  const { elements, end } = yield* elementsFrom(text, text.indexOf("["), reading)
  if (text.slice(end).trim() !== "]") throw new NotInParts()
  return elements
}

/**
 * Reads a list at the top, or the lists in an object at the top, element by element, and pauses in between. Fails if the text
 * is something else.
 */
export function* scan(text: string, reading: Reading): Generator<void, unknown> {
  const first = /\S/.exec(text)?.[0]
  if (first === "[") return yield* listIn(text, reading)
  if (first === "{") return yield* objectIn(text, reading)
  throw new NotInParts()
}
