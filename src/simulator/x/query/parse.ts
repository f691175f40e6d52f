import { normalizeText, wordsOf } from "../../searxng/words.ts"
import { invalid } from "../problems.ts"
import { type Clause, operatorClause, type PostFilter } from "./operators.ts"

type QueryToken =
  | { readonly kind: "(" }
  | { readonly kind: ")" }
  | { readonly kind: "or" }
  | { readonly kind: "not" }
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "tag"; readonly sign: "#" | "$" | "@"; readonly text: string }
  | { readonly kind: "operator"; readonly name: string; readonly value: string }

type LexedToken = QueryToken & { readonly at: number }

const patterns: ReadonlyArray<readonly [RegExp, (groups: ReadonlyArray<string>) => QueryToken]> = [
  [/[()]/y, ([sign]) => ({ kind: sign === "(" ? "(" : ")" })],
  [/-(?=[^\s)])/y, () => ({ kind: "not" })],
  [/OR(?=[\s()]|$)/y, () => ({ kind: "or" })],
  [/"([^"]*)"/y, ([, text = ""]) => ({ kind: "words", text })],
  [
    /([a-zA-Z_]+):(?:"([^"]*)"|([^\s()"]+))/y,
    ([, name = "", quoted, bare]) => ({ kind: "operator", name, value: quoted ?? bare ?? "" }),
  ],
  [
    /([#$@])([\p{L}\p{N}_]+)(?=[\s()]|$)/uy,
    ([, sign, text = ""]) => ({ kind: "tag", sign: sign === "#" || sign === "$" ? sign : "@", text }),
  ],
  [/[^\s()"]+/y, ([text = ""]) => ({ kind: "words", text })],
]

const syntaxError = (query: string, at: number) =>
  invalid(
    { query: [query] },
    at < query.length
      ? `There were errors processing your request: no viable alternative at character '${query.charAt(at)}' (at position ${at + 1})`
      : "There were errors processing your request: mismatched input '<EOF>'",
  )

const tokensOf = (query: string): ReadonlyArray<LexedToken> => {
  const tokens: Array<LexedToken> = []
  let at = 0
  for (;;) {
    while (/\s/.test(query.charAt(at))) at += 1
    if (at >= query.length) return tokens
    const start = at
    for (const [pattern, of] of patterns) {
      pattern.lastIndex = at
      const match = pattern.exec(query)
      if (match === null) continue
      tokens.push({ ...of(match), at })
      at = pattern.lastIndex
      break
    }
    if (at === start) throw syntaxError(query, at)
  }
}

const letter = "[\\p{L}\\p{N}_]"

/** Matches whole words; emojis match anywhere. */
const bounded = (word: string): string => (/^[\p{L}\p{N}_]/u.test(word) ? `(?<!${letter})${word}(?!${letter})` : word)

const textClause = (hint: string, pattern: RegExp): Clause => ({
  // Skips the pattern for texts without the word.
  test: ({ normalized }) => normalized.includes(hint) && pattern.test(normalized),
  standsAlone: true,
  needsText: true,
})

const wordsClause = (query: string, text: string, at: number): Clause => {
  const words = wordsOf(text)
  const [first] = words
  if (first === undefined) throw syntaxError(query, at)
  return textClause(first, new RegExp(words.map(bounded).join("[^\\p{L}\\p{N}_]*"), "u"))
}

const tagClause = (sign: string, text: string): Clause => {
  const tag = normalizeText(text)
  return textClause(`${sign}${tag}`, new RegExp(`[${sign}]${tag}(?!${letter})`, "u"))
}

const not = ({ test, needsText }: Clause): Clause => ({ test: (post) => !test(post), standsAlone: false, needsText })

const allOf = (parts: ReadonlyArray<Clause>): Clause => {
  const tests = parts.toSorted((a, b) => Number(a.needsText) - Number(b.needsText)).map(({ test }) => test)
  return {
    test: (post) => tests.every((test) => test(post)),
    standsAlone: parts.some(({ standsAlone }) => standsAlone),
    needsText: parts.some(({ needsText }) => needsText),
  }
}

const anyOf = (parts: ReadonlyArray<Clause>): Clause => {
  const tests = parts.map(({ test }) => test)
  return {
    test: (post) => tests.some((test) => test(post)),
    standsAlone: parts.every(({ standsAlone }) => standsAlone),
    needsText: parts.some(({ needsText }) => needsText),
  }
}

/** Recursive-descent parser. AND, written as a space, binds tighter than OR. */
class Parser {
  readonly #query: string
  readonly #tokens: ReadonlyArray<LexedToken>
  #next = 0

  constructor(query: string) {
    this.#query = query
    this.#tokens = tokensOf(query)
  }

  whole(): Clause {
    const all = this.#alternatives()
    if (this.#peek !== undefined) throw this.#unexpected()
    return all
  }

  get #peek(): LexedToken | undefined {
    return this.#tokens[this.#next]
  }

  #unexpected() {
    return syntaxError(this.#query, this.#peek?.at ?? this.#query.length)
  }

  #alternatives(): Clause {
    const parts = [this.#sequence()]
    while (this.#peek?.kind === "or") {
      this.#next += 1
      parts.push(this.#sequence())
    }
    return parts.length === 1 ? (parts[0] as Clause) : anyOf(parts)
  }

  #sequence(): Clause {
    const parts: Array<Clause> = []
    while (this.#peek !== undefined && this.#peek.kind !== ")" && this.#peek.kind !== "or") parts.push(this.#part())
    if (parts.length === 0) throw this.#unexpected()
    return parts.length === 1 ? (parts[0] as Clause) : allOf(parts)
  }

  #part(): Clause {
    const token = this.#peek
    if (token === undefined || token.kind === ")" || token.kind === "or") throw this.#unexpected()
    this.#next += 1
    if (token.kind === "not") return not(this.#part())
    if (token.kind === "(") return this.#group()
    if (token.kind === "words") return wordsClause(this.#query, token.text, token.at)
    if (token.kind === "tag") return tagClause(token.sign, token.text)
    return operatorClause(this.#query, token.name, token.value, token.at)
  }

  #group(): Clause {
    const inner = this.#alternatives()
    if (this.#peek?.kind !== ")") throw this.#unexpected()
    this.#next += 1
    return inner
  }
}

/** Compiles a query into a filter of posts. */
export const parseQuery = (query: string): PostFilter => {
  const { test, standsAlone } = new Parser(query).whole()
  if (!standsAlone) {
    throw invalid(
      { query: [query] },
      "There were errors processing your request: Rules must contain at least one positive, non-stopword clause",
    )
  }
  return test
}
