/** Columns hold millions of rows in typed arrays that double when full: objects would need ten times the memory. */
type Typed = Uint8Array | Int32Array | Float64Array

const grown = <A extends Typed>(array: A, capacity: number): A => {
  const next = new (array.constructor as new (length: number) => A)(capacity)
  next.set(array as never)
  return next
}

export class Column<A extends Typed> {
  #data: A
  length = 0

  constructor(data: A) {
    this.#data = data
  }

  push(value: number): number {
    if (this.length === this.#data.length) this.#data = grown(this.#data, this.#data.length * 2)
    this.#data[this.length] = value
    return this.length++
  }

  get(index: number): number {
    return this.#data[index] as number
  }

  set(index: number, value: number): void {
    this.#data[index] = value
  }

  add(index: number, value: number): void {
    this.#data[index] = (this.#data[index] as number) + value
  }

  /** The first index whose value is at least `value`; the column must be sorted. */
  lowerBound(value: number): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#data[middle] as number) < value) low = middle + 1
      else high = middle
    }
    return low
  }
}

export const bytes = () => new Column(new Uint8Array(1024))
export const ints = () => new Column(new Int32Array(1024))
export const floats = () => new Column(new Float64Array(1024))

const noRow = -1

/** Rows grouped by key, newest first: a linked list per key in two columns. Rows are added in order. */
export class RowsByKey {
  readonly #newest = ints()
  readonly #previous = ints()

  /** Adds the next row under a key; -1 means no key. */
  add(key: number): void {
    if (key === noRow) {
      this.#previous.push(noRow)
      return
    }
    while (this.#newest.length <= key) this.#newest.push(noRow)
    const row = this.#previous.push(this.#newest.get(key))
    this.#newest.set(key, row)
  }

  /** -1 if the key has no row. */
  newest(key: number): number {
    return key >= 0 && key < this.#newest.length ? this.#newest.get(key) : noRow
  }

  /** The previous row of the same key, or -1. */
  previous(row: number): number {
    return this.#previous.get(row)
  }

  *of(key: number): Iterable<number> {
    for (let row = this.newest(key); row !== noRow; row = this.previous(row)) yield row
  }
}
