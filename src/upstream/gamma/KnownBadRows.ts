import { LRUCache } from "lru-cache"
import { type BadRow, idOfBad, type Rows } from "./rows.ts"

/** Enough for the whole catalogue of a venue that changes one of its formats. */
const maxRows = 20_000

/** Rows that were undecodable twice for the same reason. They stay so, and requesting them once more would be useless. */
export class KnownBadRows {
  readonly #reasons = new LRUCache<string, string>({ max: maxRows })

  /** The rows without the undecodable ones that are known. */
  without<A>(rows: Rows<A>): Rows<A> {
    return { ...rows, bad: rows.bad.filter((row) => !this.#has(row)) }
  }

  /** Remembers what was undecodable for the same reason in two responses to the same request. */
  remember(first: ReadonlyArray<BadRow>, second: ReadonlyArray<BadRow>): void {
    const before = new Map(first.map((row) => [keyOf(row), row.reason]))
    for (const row of second) {
      const key = keyOf(row)
      if (key !== undefined && before.get(key) === row.reason) this.#reasons.set(key, row.reason)
    }
  }

  #has(row: BadRow): boolean {
    const key = keyOf(row)
    return key !== undefined && this.#reasons.get(key) === row.reason
  }
}

const keyOf = (row: BadRow): string | undefined => {
  const id = idOfBad(row)
  return id === null ? undefined : `${row.what} ${id}`
}
