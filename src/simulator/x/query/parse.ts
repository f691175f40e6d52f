import { plainOf, wordsOf } from "../../searxng/words.ts"
import { invalid } from "../problems.ts"
import { type Placed, tokensOf, unreadable } from "./lexer.ts"
import { type Leaf, operatorLeaf, type Test } from "./operators.ts"

const letter = "[\\p{L}\\p{N}_]"

/** A word must not be part of a longer one; pictures may stand anywhere. */
const bounded = (word: string): string => (/^[\p{L}\p{N}_]/u.test(word) ? `(?<!${letter})${word}(?!${letter})` : word)

const textLeaf = (hint: string, pattern: RegExp): Leaf => ({
  // Most texts do not even have the letters.
  test: ({ plain }) => plain.includes(hint) && pattern.test(plain),
  standsAlone: true,
  needsText: true,
})

const wordsLeaf = (query: string, text: string, at: number): Leaf => {
  const words = wordsOf(text)
  const [first] = words
  if (first === undefined) throw unreadable(query, at)
  return textLeaf(first, new RegExp(words.map(bounded).join("[^\\p{L}\\p{N}_]*"), "u"))
}

const tagLeaf = (sign: string, text: string): Leaf => {
  const tag = plainOf(text)
  return textLeaf(`${sign}${tag}`, new RegExp(`[${sign}]${tag}(?!${letter})`, "u"))
}

const not = ({ test, needsText }: Leaf): Leaf => ({ test: (post) => !test(post), standsAlone: false, needsText })

const allOf = (parts: ReadonlyArray<Leaf>): Leaf => {
  const tests = parts.toSorted((a, b) => Number(a.needsText) - Number(b.needsText)).map(({ test }) => test)
  return {
    test: (post) => tests.every((test) => test(post)),
    standsAlone: parts.some(({ standsAlone }) => standsAlone),
    needsText: parts.some(({ needsText }) => needsText),
  }
}

const anyOf = (parts: ReadonlyArray<Leaf>): Leaf => {
  const tests = parts.map(({ test }) => test)
  return {
    test: (post) => tests.some((test) => test(post)),
    standsAlone: parts.every(({ standsAlone }) => standsAlone),
    needsText: parts.some(({ needsText }) => needsText),
  }
}

/** Reads a query by descent: OR binds less than the space between parts, which means AND. */
class Parser {
  readonly #query: string
  readonly #tokens: ReadonlyArray<Placed>
  #next = 0

  constructor(query: string) {
    this.#query = query
    this.#tokens = tokensOf(query)
  }

  whole(): Leaf {
    const all = this.#alternatives()
    if (this.#peek !== undefined) throw this.#unexpected()
    return all
  }

  get #peek(): Placed | undefined {
    return this.#tokens[this.#next]
  }

  #unexpected() {
    return unreadable(this.#query, this.#peek?.at ?? this.#query.length)
  }

  #alternatives(): Leaf {
    const parts = [this.#sequence()]
    while (this.#peek?.kind === "or") {
      this.#next += 1
      parts.push(this.#sequence())
    }
    return parts.length === 1 ? (parts[0] as Leaf) : anyOf(parts)
  }

  #sequence(): Leaf {
    const parts: Array<Leaf> = []
    while (this.#peek !== undefined && this.#peek.kind !== ")" && this.#peek.kind !== "or") parts.push(this.#part())
    if (parts.length === 0) throw this.#unexpected()
    return parts.length === 1 ? (parts[0] as Leaf) : allOf(parts)
  }

  #part(): Leaf {
    const token = this.#peek
    if (token === undefined || token.kind === ")" || token.kind === "or") throw this.#unexpected()
    this.#next += 1
    if (token.kind === "not") return not(this.#part())
    if (token.kind === "(") return this.#group()
    if (token.kind === "words") return wordsLeaf(this.#query, token.text, token.at)
    if (token.kind === "tag") return tagLeaf(token.sign, token.text)
    return operatorLeaf(this.#query, token.name, token.value, token.at)
  }

  #group(): Leaf {
    const inner = this.#alternatives()
    if (this.#peek?.kind !== ")") throw this.#unexpected()
    this.#next += 1
    return inner
  }
}

/** What a query asks of a post. */
export const testOf = (query: string): Test => {
  const { test, standsAlone } = new Parser(query).whole()
  if (!standsAlone) {
    throw invalid(
      { query: [query] },
      "There were errors processing your request: Rules must contain at least one positive, non-stopword clause",
    )
  }
  return test
}
