import { countColumns } from "./model.ts"

/** Numbers of a market or an event that lists are sorted and filtered by. */
export const numberColumns = [
  ...countColumns,
  "liquidity",
  "created_at",
  "ends_at",
  "event",
  "price_change_24h",
  "status",
] as const
export type NumberColumn = (typeof numberColumns)[number]

const columns = [...numberColumns, "scope", "neg_risk", "category", "tags"] as const
type Column = (typeof columns)[number]

export type FigureRow = Readonly<Record<NumberColumn, number | null>> & {
  readonly scope: number
  readonly neg_risk: boolean | null
  readonly category: string | null
  readonly tags: ReadonlyArray<string> | null
}

const firstCapacity = 1_024

/**
 * The figures of all markets, or of all events, in memory: any filter with any sort takes one pass over them. Dollars of 10⁻⁶
 * are exact up to nine billion dollars; what lists show is read from the database.
 */
export class FigureTable {
  size = 0
  readonly #rows = new Map<number, number>()
  readonly #numbers = new Map<Column, Float64Array>(columns.map((column) => [column, new Float64Array(firstCapacity)]))
  /** Lists of tags and categories that rows name by number. */
  readonly #tags = new Numbered<ReadonlyArray<string>>()
  readonly #categories = new Numbered<string>()

  /** NaN where a number is not known. */
  column(name: Column): Float64Array {
    return this.#numbers.get(name) ?? new Float64Array(0)
  }
  rowOf(scope: number): number | undefined {
    return this.#rows.get(scope)
  }
  /** The number of a category; NaN if no row has it. */
  categoryOf(name: string): number {
    return this.#categories.numberOf(name) ?? Number.NaN
  }
  /** By the numbers of lists of tags: 1 if a list has the tag. */
  listsWith(tag: string): Uint8Array {
    return Uint8Array.from(this.#tags.items, (tags) => (tags.includes(tag) ? 1 : 0))
  }

  put(figure: FigureRow): void {
    const row = this.#rows.get(figure.scope) ?? this.#add(figure.scope)
    for (const column of numberColumns) this.#set(row, column, figure[column])
    this.#set(row, "scope", figure.scope)
    this.#set(row, "neg_risk", figure.neg_risk === null ? null : Number(figure.neg_risk))
    this.#set(row, "category", figure.category === null ? null : this.#categories.add(figure.category, figure.category))
    this.#set(row, "tags", figure.tags === null ? null : this.#tags.add(JSON.stringify(figure.tags), figure.tags))
  }

  #set(row: number, column: Column, value: number | null) {
    this.column(column)[row] = value ?? Number.NaN
  }

  #add(scope: number): number {
    const row = this.size
    this.size += 1
    this.#rows.set(scope, row)
    for (const [column, values] of this.#numbers) {
      if (row < values.length) break
      const wider = new Float64Array(2 * values.length)
      wider.set(values)
      this.#numbers.set(column, wider)
    }
    return row
  }
}

/** Numbers different items from 0 on. */
class Numbered<A> {
  readonly items: Array<A> = []
  readonly #numbers = new Map<string, number>()

  numberOf(key: string): number | undefined {
    return this.#numbers.get(key)
  }
  add(key: string, item: A): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.items.length)
    return this.items.push(item) - 1
  }
}
