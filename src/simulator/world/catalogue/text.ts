/** Words and numbers, and the signs that tell two texts apart. */
const words = /[a-z0-9']+(?:[.,]\d+)*|[+<]|(?<=\s)-(?=\d)/g

const signs: Readonly<Record<string, string>> = { "+": "plus", "<": "below", "-": "minus" }

const plainWord = (word: string): string => {
  if (word.length === 1) return signs[word] ?? word
  return /[.,']/.test(word) ? word.replaceAll(".", "pt").replaceAll(/[,']/g, "") : word
}

/** Words joined by hyphens, as in the address of a page. */
export const kebab = (text: string): string => (text.toLowerCase().match(words) ?? []).map(plainWord).join("-")

/** 98000 as 98,000 */
export const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** Whole numbers of 10⁻⁸ USD as people write them: 98,000 or 2.35 */
export const usdText = (price: number): string => {
  const whole = Math.floor(price / 100_000_000)
  const rest = price - whole * 100_000_000
  const decimals = String(rest).padStart(8, "0").replace(/0+$/, "")
  return decimals === "" ? thousands(whole) : `${thousands(whole)}.${decimals.padEnd(2, "0")}`
}

/** 1st, 2nd, 3rd, 4th … */
export const ordinal = (n: number): string => {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")
  return `${n}${ending}`
}
