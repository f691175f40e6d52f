import { eastern, isoDate } from "../world/catalogue/eastern.ts"
import type { Millis } from "../world/model.ts"

/** JSON is built as text, so that the constant fields of a market are serialized only once. */
export const objectText = (...fields: ReadonlyArray<string>): string =>
  `{${fields.filter((each) => each !== "").join(",")}}`

/** The JSON fields of an object, without its braces. */
export const fieldsText = (value: object): string => JSON.stringify(value).slice(1, -1)

export const listText = (items: ReadonlyArray<string>): string => `[${items.join(",")}]`

/** Bounded cache that evicts the oldest entry. */
export class TextCache {
  readonly maxEntries: number
  readonly #texts = new Map<number, string>()

  constructor(maxEntries: number) {
    this.maxEntries = maxEntries
  }

  get(key: number, make: () => string): string {
    const cached = this.#texts.get(key)
    if (cached !== undefined) return cached
    const text = make()
    this.#texts.set(key, text)
    if (this.#texts.size > this.maxEntries) this.#texts.delete(this.#texts.keys().next().value as number)
    return text
  }
}

/** An array encoded as a string, with the spacing of the venue's serializer. */
export const encodedList = (list: ReadonlyArray<string>): string =>
  `[${list.map((each) => JSON.stringify(each)).join(", ")}]`

/** 2026-04-05T19:37:33Z */
export const iso = (at: Millis): string => {
  const text = new Date(at).toISOString()
  return at % 1000 === 0 ? `${text.slice(0, 19)}Z` : text
}

/** 2026-04-05 19:37:33+00, the Postgres format. */
export const postgresTime = (at: Millis): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}+00`

/** 2026-04-05 */
export const dateOf = (at: Millis): string => new Date(at).toISOString().slice(0, 10)

/** The date in New York, which identifies games. */
export const easternDateOf = (at: Millis): string => isoDate(eastern(at))
