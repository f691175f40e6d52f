const wordPattern = /[\p{L}\p{N}_]+|\p{Extended_Pictographic}/gu

/** A text as it is compared: lower case, without accents. */
export const plainOf = (text: string): string => {
  const lower = text.toLowerCase()
  // Most texts have no accents to take off, and whole weeks of posts come through here.
  return /[\u00c0-\u1fff]/.test(lower) ? lower.normalize("NFKD").replace(/\p{M}/gu, "") : lower
}

/** The words of a text as they are compared, single pictures counting as words. */
export const wordsOf = (text: string): ReadonlyArray<string> => plainOf(text).match(wordPattern) ?? []

/** Words that are in half of all titles and tell nothing. */
const idle = new Set(
  "a an and at be by for from in is it of on or the to vs what when which who will with win more price".split(" "),
)

export const tellingWords = (text: string): ReadonlyArray<string> => [
  ...new Set(wordsOf(text).filter((word) => !idle.has(word))),
]

/** "nba injuries" as "Nba Injuries" */
export const headlineCase = (text: string): string =>
  text.replace(/(^|\s)(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
