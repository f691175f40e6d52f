import { countColumns, type Status, statuses } from "./model.ts"

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

export type FigureRow = Readonly<Record<NumberColumn, number | null>> & {
  readonly scope: number
  readonly neg_risk: boolean | null
  readonly category: string | null
  readonly tags: ReadonlyArray<string> | null
}

const noTags: ReadonlyArray<string> = []
const firstCapacity = 1_024

/**
 * The figures of all markets, or of all events, in memory: any filter with any sort takes one pass over them. Dollars of 10⁻⁶
 * are exact up to nine billion dollars; what lists show is read from the database.
 */
export class FigureTable {
  size = 0
  #capacity = firstCapacity
  readonly #rows = new Map<number, number>()
  readonly #numbers = new Map<NumberColumn, Float64Array>(
    numberColumns.map((column) => [column, new Float64Array(firstCapacity)]),
  )
  readonly #scopes: Array<number> = []
  readonly #negRisk: Array<boolean | null> = []
  readonly #categories: Array<string | null> = []
  readonly #tags: Array<ReadonlyArray<string>> = []
  /** Equal texts and lists of tags are stored once. */
  readonly #texts = new Map<string, string>()
  readonly #tagLists = new Map<string, ReadonlyArray<string>>()

  /** NaN where a number is not known. */
  column(name: NumberColumn): Float64Array {
    return this.#numbers.get(name) ?? new Float64Array(0)
  }
  scopeOf(row: number): number {
    return this.#scopes[row] ?? 0
  }
  rowOf(scope: number): number | undefined {
    return this.#rows.get(scope)
  }
  statusOf(row: number): Status | undefined {
    return statuses[this.column("status")[row] ?? -1]
  }
  negRiskOf(row: number): boolean | null {
    return this.#negRisk[row] ?? null
  }
  categoryOf(row: number): string | null {
    return this.#categories[row] ?? null
  }
  tagsOf(row: number): ReadonlyArray<string> {
    return this.#tags[row] ?? noTags
  }

  put(figure: FigureRow): void {
    const row = this.#rows.get(figure.scope) ?? this.#add(figure.scope)
    for (const [column, values] of this.#numbers) values[row] = figure[column] ?? Number.NaN
    this.#negRisk[row] = figure.neg_risk
    this.#categories[row] = figure.category === null ? null : this.#text(figure.category)
    this.#tags[row] = figure.tags === null ? noTags : this.#tagList(figure.tags)
  }

  #add(scope: number): number {
    const row = this.size
    this.size += 1
    this.#rows.set(scope, row)
    this.#scopes.push(scope)
    if (this.size > this.#capacity) {
      this.#capacity *= 2
      for (const [column, values] of this.#numbers) {
        const wider = new Float64Array(this.#capacity)
        wider.set(values)
        this.#numbers.set(column, wider)
      }
    }
    return row
  }

  #text(text: string): string {
    const known = this.#texts.get(text)
    if (known === undefined) this.#texts.set(text, text)
    return known ?? text
  }

  #tagList(tags: ReadonlyArray<string>): ReadonlyArray<string> {
    const key = JSON.stringify(tags)
    const known = this.#tagLists.get(key) ?? tags.map((tag) => this.#text(tag))
    this.#tagLists.set(key, known)
    return known
  }
}
