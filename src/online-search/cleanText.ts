import { unprintable } from "#src/platform/text/controlCharacters.ts"

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  middot: "·",
  bull: "•",
  copy: "©",
  reg: "®",
  trade: "™",
  euro: "€",
  pound: "£",
}

const characterOf = (code: number): string =>
  Number.isInteger(code) && code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : " "

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return characterOf(Number(decimal))
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
    return Object.hasOwn(entities, name) ? (entities[name] as string) : whole
  })

const withoutTags = (text: string): string =>
  text
    .replace(/<(script|style)\b[^>]*>.*?<\/\1\s*>/gis, " ")
    .replace(/<!--.*?(-->|$)/gs, " ")
    // Also one that is cut off at the end, as snippets often are.
    .replace(/<[a-z/!?][^<>]*(>|$)/gi, "")

const invisible = new RegExp(unprintable.source, "gu")

/** Before markup is looked for: an invisible character would hide it. */
const visible = (text: string): string => text.replace(/\s+/g, " ").replace(invisible, "")

/** Escaped markup becomes markup when it is unescaped, possibly several times. */
const maxRounds = 5

const plain = (text: string): string => {
  let current = withoutTags(visible(text))
  for (let round = 0; round < maxRounds; round++) {
    const next = withoutTags(visible(unescaped(current)))
    if (next === current) return current
    current = next
  }
  // Nested deeper than any honest text.
  return current.replace(/[<>]/g, " ")
}

const shortened = (text: string, maxLength: number): string => {
  const characters = [...text]
  return characters.length <= maxLength
    ? text
    : `${characters
        .slice(0, maxLength - 1)
        .join("")
        .trimEnd()}…`
}

/** Text of the web without markup, control characters and runs of spaces. */
export const cleanText = (text: string, maxLength: number): string =>
  shortened(
    plain(text.slice(0, maxLength * 10))
      .replace(/ +/g, " ")
      .trim(),
    maxLength,
  )
