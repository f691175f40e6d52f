import { createHash } from "node:crypto"
import { wordsOf } from "./words.ts"

/** What a text is worth, from the name of the thing to what is only said about it. */
const weights = ["A", "B", "C", "D"] as const
export type Weight = (typeof weights)[number]

/** One thing that can be found. */
export interface Searchable {
  readonly id: number
  readonly texts: Readonly<Partial<Record<Weight, ReadonlyArray<string>>>>
  /** Comes before those that are over, where the words match equally well. */
  readonly isOpen: boolean
  /** In 10⁻⁶ dollars: more comes first, where the words match equally well. */
  readonly volume: number
}

/** A document as stored. */
export interface SearchDocument {
  readonly id: number
  readonly fingerprint: bigint
  readonly rank: number
  /** In the text form of `tsvector`. */
  readonly vector: string
}

/** Increase it when the same texts give other words: documents of an older version are then written again. */
export const documentVersion = 1

const mostWordsPerText = 100
/** Keeps a phrase from reaching over the end of a text. */
const gap = 8
const highestPosition = 16_000

/** The word that stands for a whole text; `=` is in no other word. */
export const wholeText = (words: ReadonlyArray<string>): string =>
  `=${createHash("sha1").update(words.join(" ")).digest("base64url").slice(0, 12)}`

/** Words with their positions and weights. They have no character that would need quoting. */
export const vectorOf = (texts: Searchable["texts"]): string => {
  const places = new Map<string, Array<string>>()
  const add = (word: string, place: string) => {
    const known = places.get(word)
    if (known === undefined) places.set(word, [place])
    else known.push(place)
  }
  let position = 1
  for (const weight of weights) {
    for (const text of texts[weight] ?? []) {
      const words = wordsOf(text)
      if (words.length === 0 || position > highestPosition) continue
      if (weight !== "D") add(wholeText(words), `${position}${weight}`)
      for (const word of words.slice(0, mostWordsPerText)) add(word, `${position++}${weight}`)
      position += gap
    }
  }
  return [...places].map(([word, at]) => `'${word}':${at.join(",")}`).join(" ")
}

/** Of what the words of a document follow from. */
export const fingerprintOf = (texts: Searchable["texts"]): bigint =>
  createHash("sha1")
    .update(JSON.stringify(weights.map((weight) => texts[weight] ?? [])))
    .digest()
    .readBigInt64BE()

const openBonus = 1_024

/**
 * Open before closed, then by volume in steps of a twelfth: exact volumes change with every trade, and every change would
 * be a write.
 */
export const rankOf = ({ isOpen, volume }: Pick<Searchable, "isOpen" | "volume">): number =>
  (isOpen ? openBonus : 0) + Math.min(openBonus - 1, Math.round(6 * Math.log2(1 + Math.max(0, volume) / 1_000_000)))

/** The document by which a thing is found. */
export const documentOf = ({ id, texts, ...ranked }: Searchable): SearchDocument => ({
  id,
  fingerprint: fingerprintOf(texts),
  rank: rankOf(ranked),
  vector: vectorOf(texts),
})
