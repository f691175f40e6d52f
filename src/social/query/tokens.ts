import { QueryError } from "./model.ts"

export type Token =
  | { readonly kind: "(" | ")" | "or" | "not" }
  | { readonly kind: "phrase"; readonly text: string }
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "tag"; readonly text: string }
  | { readonly kind: "operator"; readonly name: string; readonly value: string }

const simple = (kind: "(" | ")" | "or" | "not"): Token => ({ kind })

const patterns: ReadonlyArray<readonly [RegExp, (groups: ReadonlyArray<string | undefined>) => Token]> = [
  [/\(/y, () => simple("(")],
  [/\)/y, () => simple(")")],
  [/-(?=[^\s)])/y, () => simple("not")],
  [/OR(?=[\s()]|$)/y, () => simple("or")],
  [/"([^"]*)"/y, ([, text = ""]) => ({ kind: "phrase", text })],
  [/(https?:\/\/[^\s()"]+)/y, ([, text = ""]) => ({ kind: "operator", name: "url", value: text })],
  [
    /([a-zA-Z][a-zA-Z_]*):(?:"([^"]*)"|([^\s()"]+))/y,
    ([, name = "", quoted, bare]) => ({ kind: "operator", name: name.toLowerCase(), value: quoted ?? bare ?? "" }),
  ],
  [/([#$@][\p{L}\p{N}_]+)(?=[\s()]|$)/uy, ([, text = ""]) => ({ kind: "tag", text })],
  [/[^\s()"]+/y, ([text = ""]) => ({ kind: "word", text })],
]

/** The parts of a query, in order. */
export const tokensOf = (query: string): ReadonlyArray<Token> | QueryError => {
  const tokens: Array<Token> = []
  let at = 0
  while (at < query.length) {
    if (/\s/.test(query.charAt(at))) {
      at += 1
      continue
    }
    const start = at
    for (const [pattern, tokenOf] of patterns) {
      pattern.lastIndex = at
      const match = pattern.exec(query)
      if (match === null) continue
      tokens.push(tokenOf(match))
      at = pattern.lastIndex
      break
    }
    if (at === start) return new QueryError("a quotation mark is not closed", 'Close it, as in "exact phrase".')
  }
  return tokens
}
