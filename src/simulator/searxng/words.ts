const wordPattern = /[\p{L}\p{N}_]+|\p{Extended_Pictographic}/gu

/** Lower case, without accents. */
export const normalizeText = (text: string): string => {
  const lower = text.toLowerCase()
  // Skips the costly normalization for texts without accents; searches normalize whole weeks of posts.
  return /[\u00c0-\u1fff]/.test(lower) ? lower.normalize("NFKD").replace(/\p{M}/gu, "") : lower
}

/** The normalized words of a text. Each emoji is a word. */
export const wordsOf = (text: string): ReadonlyArray<string> => normalizeText(text).match(wordPattern) ?? []

const stopWords = new Set(
  "a an and at be by for from in is it of on or the to vs what when which who will with win more price".split(" "),
)

export const significantWords = (text: string): ReadonlyArray<string> => [
  ...new Set(wordsOf(text).filter((word) => !stopWords.has(word))),
]

/** "nba injuries" as "Nba Injuries" */
export const titleCase = (text: string): string =>
  text.replace(/(^|\s)(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
