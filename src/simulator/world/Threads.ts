import { ints } from "./columns.ts"

const none = -1

/** The rows of each key, newest first: a linked list per key in two columns. Rows are added in order. */
export class Threads {
  readonly #newest = ints()
  readonly #previous = ints()

  /** The next row belongs to this key; -1 to nobody. */
  add(key: number): void {
    if (key === none) {
      this.#previous.push(none)
      return
    }
    while (this.#newest.length <= key) this.#newest.push(none)
    const row = this.#previous.push(this.#newest.get(key))
    this.#newest.set(key, row)
  }

  /** -1 when there is none. */
  newest(key: number): number {
    return key >= 0 && key < this.#newest.length ? this.#newest.get(key) : none
  }

  /** The row before this one of the same key, or -1. */
  previous(row: number): number {
    return this.#previous.get(row)
  }

  *of(key: number): Iterable<number> {
    for (let row = this.newest(key); row !== none; row = this.previous(row)) yield row
  }
}
