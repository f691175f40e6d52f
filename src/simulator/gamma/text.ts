/** JSON is put together as text, so that what never changes of a market is written only once. */
export const objectText = (...fields: ReadonlyArray<string>): string =>
  `{${fields.filter((each) => each !== "").join(",")}}`

/** The fields of an object, without its braces. */
export const fieldsText = (value: object): string => JSON.stringify(value).slice(1, -1)

export const listText = (items: ReadonlyArray<string>): string => `[${items.join(",")}]`

/** Keeps the newest results; a crawl through everything pushes out the oldest. */
export class Kept {
  readonly #most: number
  readonly #texts = new Map<number, string>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: number, make: () => string): string {
    const kept = this.#texts.get(key)
    if (kept !== undefined) return kept
    const text = make()
    this.#texts.set(key, text)
    if (this.#texts.size > this.#most) this.#texts.delete(this.#texts.keys().next().value as number)
    return text
  }
}

/** An array inside a string, spaced as the venue's serializer does. */
export const encoded = (list: ReadonlyArray<string>): string =>
  `[${list.map((each) => JSON.stringify(each)).join(", ")}]`
