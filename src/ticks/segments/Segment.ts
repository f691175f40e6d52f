/** Start of every row: the separating comma, then the id, which starts with the tick's milliseconds. */
const rowStart = Buffer.from(',{"id":"')
const idSeparator = "-".charCodeAt(0)

/** Encoded state of a segment: the oid of its day's table and its revision. */
export interface Version {
  readonly table: number
  readonly revision: number
}

/** Ticks of ten minutes in response encoding, in order of time. A comma precedes every row, including the first. */
export class Segment {
  readonly bytes: Buffer
  readonly rows: number
  readonly version: Version
  #starts: Uint32Array | undefined

  constructor(bytes: Buffer, rows: number, version: Version) {
    this.bytes = bytes
    this.rows = rows
    this.version = version
  }

  /** Memory use in bytes, including the row index. */
  get size(): number {
    return this.bytes.length + 4 * this.rows + 200
  }

  /** Byte offset of a row; for `rows`, the end of the last one. */
  offsetOf(row: number): number {
    if (row === 0) return 0
    return row >= this.rows ? this.bytes.length : (this.#index()[row] ?? this.bytes.length)
  }

  /** Number of rows before a moment. */
  rowsBefore(at: number): number {
    let [low, high] = [0, this.rows]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#momentOf(middle) < at) low = middle + 1
      else high = middle
    }
    return low
  }

  #momentOf(row: number): number {
    const from = this.offsetOf(row) + rowStart.length
    return Number(this.bytes.toString("latin1", from, this.bytes.indexOf(idSeparator, from)))
  }

  /** Built on first use: only segments that are cut need it, and most of them repeatedly. */
  #index(): Uint32Array {
    if (this.#starts !== undefined) return this.#starts
    const starts = new Uint32Array(this.rows)
    let at = 0
    for (let row = 1; row < this.rows; row++) {
      at = this.bytes.indexOf(rowStart, at + rowStart.length)
      starts[row] = at
    }
    this.#starts = starts
    return starts
  }
}
