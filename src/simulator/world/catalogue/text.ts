/** Words, numbers and the signs that distinguish two texts. */
const words = /[a-z0-9']+(?:[.,]\d+)*|[+<]|(?<=\s)-(?=\d)/g

const signs: Readonly<Record<string, string>> = { "+": "plus", "<": "below", "-": "minus" }

const plainWord = (word: string): string => {
  if (word.length === 1) return signs[word] ?? word
  return /[.,']/.test(word) ? word.replaceAll(".", "pt").replaceAll(/[,']/g, "") : word
}

/** Words joined by hyphens, as in a URL slug. */
export const kebab = (text: string): string => (text.toLowerCase().match(words) ?? []).map(plainWord).join("-")

/** 98000 as 98,000 */
export const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** Formats whole numbers of 10⁻⁸ USD: 98,000 or 2.35 */
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

/** Names of invented people. Both list lengths are prime. */
export const firstNames: ReadonlyArray<string> =
  `Adaeze Alaric Amara Anders Ansel Arjun Beatriz Bram Caius Calla Cedric Dalia Darnell Delphine Desmond Eilidh
  Emeka Esme Farida Felix Garrick Halima Hollis Ines Ishaan Jolene Jorah Kaia Kendrick Lars Leona Lucian Mabel
  Malik Marisol Nadia Niall Odette Oren Priya Quentin Rafaela Soren`.split(/\s+/)

export const lastNames: ReadonlyArray<string> =
  `Abernethy Adeyinka Ashgrove Balewa Barrowman Bexley Brannock Castellane Coldwater Dragomir Dunmarrow Eastbrook
  Escalera Fairbourne Fenwright Galloway Greycastle Halvorsen Hartigan Iturbe Jankovec Kestrel Kirkbride
  Lachance Larkspur Macready Marchetti Nightingale Norquist Okafor Ostrander Pemberley Quillfeather Ravensdale
  Rothwell Santangelo Sterngard Thistlewood Umberland Valcourt Wexford Yarborough Zielinska`.split(/\s+/)
