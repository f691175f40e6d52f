import { unprintable } from "#src/platform/text/controlCharacters.ts"
import { type CountBound, QueryError, type SocialQuery } from "./model.ts"
import { type Operator, operatorOf } from "./operators.ts"
import { type Token, tokensOf } from "./tokens.ts"

const invisible = new RegExp(unprintable.source, "gu")

/** One form for all kinds of spaces and quotation marks. */
const normalizedText = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/[“”„‟]/g, '"')
    .replace(/\s+/g, " ")
    .replace(invisible, "")
    .replace(/ +/g, " ")
    .trim()

const hasText = (text: string) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)

/** Everything but plain words is sent as a phrase, in which X takes no character for syntax. */
const isPlain = (word: string) => /^[\p{L}\p{M}\p{N}_]+$/u.test(word)

const phrase = (text: string) => `"${text.replace(/[\\"]/g, " ").replace(/ +/g, " ").trim()}"`

const needsText = "a query needs at least one word, phrase, hashtag or account, such as from:nba"

/** Translates from left to right; what applies to the whole query is taken out of it. */
class Translation {
  readonly #tokens: ReadonlyArray<Token>
  #next = 0
  #depth = 0
  #since: number | undefined
  #until: number | undefined
  readonly #bounds: Array<CountBound> = []

  constructor(tokens: ReadonlyArray<Token>) {
    this.#tokens = tokens
  }

  whole(): SocialQuery {
    const query = this.#alternatives()
    if (this.#peek !== undefined) throw new QueryError("a parenthesis is closed that was not opened")
    if (query === undefined) throw new QueryError(needsText)
    return { query, since: this.#since, until: this.#until, bounds: this.#bounds }
  }

  get #peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  /** Undefined if nothing of it is asked of X. */
  #alternatives(): string | undefined {
    const parts = [this.#sequence()]
    while (this.#peek?.kind === "or") {
      this.#next += 1
      parts.push(this.#sequence())
    }
    if (parts.length > 1 && parts.includes(undefined)) {
      throw new QueryError("OR needs a word, phrase, hashtag or account on both sides")
    }
    return parts.length === 1 ? parts[0] : parts.join(" OR ")
  }

  #sequence(): string | undefined {
    const parts: Array<string> = []
    for (let token = this.#peek; token !== undefined && token.kind !== ")" && token.kind !== "or"; token = this.#peek) {
      const part = this.#part(false)
      if (part !== undefined) parts.push(part)
    }
    return parts.length === 0 ? undefined : parts.join(" ")
  }

  #part(isNegated: boolean): string | undefined {
    const token = this.#peek
    if (token === undefined || token.kind === ")" || token.kind === "or") {
      throw new QueryError("a minus needs something to exclude after it")
    }
    this.#next += 1
    const sign = isNegated ? "-" : ""
    switch (token.kind) {
      case "not":
        return this.#part(!isNegated)
      case "(":
        return this.#group(sign)
      case "phrase":
      case "word":
        if (!hasText(token.text)) return undefined
        return `${sign}${token.kind === "word" && isPlain(token.text) ? token.text : phrase(token.text)}`
      case "tag":
        return `${sign}${token.text}`
      case "operator":
        return this.#operator(operatorOf(token.name, token.value, isNegated), sign, token.name)
    }
  }

  #group(sign: string): string | undefined {
    if (this.#depth >= 20) throw new QueryError("parentheses are nested too deeply")
    this.#depth += 1
    const inner = this.#alternatives()
    this.#depth -= 1
    if (this.#peek?.kind !== ")") throw new QueryError("a parenthesis is not closed")
    this.#next += 1
    return inner === undefined ? undefined : `${sign}(${inner})`
  }

  #operator(operator: Operator | QueryError, sign: string, name: string): string | undefined {
    if (operator instanceof QueryError) throw operator
    if (operator.kind === "passed") return `${sign}${operator.text}`
    if (this.#depth > 0) {
      throw new QueryError(`${name}: is not possible within parentheses`, "It applies to the whole query: move it out.")
    }
    const { since, until, bound } = operator
    if (since !== undefined) this.#since = Math.max(since, this.#since ?? since)
    if (until !== undefined) this.#until = Math.min(until, this.#until ?? until)
    if (bound !== undefined) this.#bounds.push(bound)
    return undefined
  }
}

/** A query of web search in the terms of X API v2, or what is wrong with it. */
export const translateQuery = (text: string): SocialQuery | QueryError => {
  const tokens = tokensOf(normalizedText(text))
  if (tokens instanceof QueryError) return tokens
  try {
    const translated = new Translation(tokens).whole()
    const { since, until } = translated
    return since !== undefined && until !== undefined && since >= until
      ? new QueryError("since: must be before until:", "until: excludes its own day.")
      : translated
  } catch (error) {
    if (error instanceof QueryError) return error
    throw error
  }
}
