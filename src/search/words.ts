/** Letters that Unicode does not decompose into a base and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ħ: "h",
}

/** Written without spaces between words, so that each character counts as a word. */
const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}"
const word = new RegExp(
  `(?=[\\p{L}\\p{N}])[${unspaced}]|\\d+(?:\\.\\d+)+(?:(?![${unspaced}])[\\p{L}\\p{N}])*|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`,
  "gu",
)

/** Longer words are cut, in texts and in queries alike. */
const longestWord = 40

const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[ßæœøđðþłıħ]/g, (letter) => letters[letter] ?? letter)

/**
 * The words of a text as they are compared: without case, accents and punctuation. `Trump's` is `trump`, `U.S.` is `us`,
 * `$100,000` is `100000`; decimals stay whole.
 */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (
    folded(text)
      .replace(/['’ʼ]s(?![\p{L}\p{N}])/gu, "")
      .replace(/['’ʼ]/g, "")
      .replace(/(?<![\p{L}\p{N}])(?:\p{L}\.){2,}/gu, (initials) => `${initials.replaceAll(".", "")} `)
      .replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")
      .match(word) ?? []
  ).map((found) => [...found].slice(0, longestWord).join(""))

/** Whether a text ends inside a word, which may then still be typed. */
export const endsInWord = (text: string): boolean => /[\p{L}\p{N}]$/u.test(text)
