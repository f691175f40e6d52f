import { invalid } from "../problems.ts"

export type Token =
  | { readonly kind: "(" }
  | { readonly kind: ")" }
  | { readonly kind: "or" }
  | { readonly kind: "not" }
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "tag"; readonly sign: "#" | "$" | "@"; readonly text: string }
  | { readonly kind: "operator"; readonly name: string; readonly value: string }

export type Placed = Token & { readonly at: number }

const patterns: ReadonlyArray<readonly [RegExp, (groups: ReadonlyArray<string>) => Token]> = [
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

export const unreadable = (query: string, at: number) =>
  invalid(
    { query: [query] },
    at < query.length
      ? `There were errors processing your request: no viable alternative at character '${query.charAt(at)}' (at position ${at + 1})`
      : "There were errors processing your request: mismatched input '<EOF>'",
  )

/** The parts of a query. */
export const tokensOf = (query: string): ReadonlyArray<Placed> => {
  const tokens: Array<Placed> = []
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
    if (at === start) throw unreadable(query, at)
  }
}
