/** How every row begins: with the comma that sets it apart from the one before, and with its moment. */
const rowBegins = Buffer.from(',{"id":"')
const idEnds = "-".charCodeAt(0)

/** Which state of a stretch was encoded: of which table of its day, and after how many changes. */
export interface Version {
  readonly table: number
  readonly revision: number
}

/** The ticks of a stretch as they are sent, in order of time. Every row has a comma before it, the first one too. */
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

  /** What it takes to keep it, with its index. */
  get size(): number {
    return this.bytes.length + 4 * this.rows + 200
  }

  /** Where a row begins; for the number of rows, where the last one ends. */
  offsetOf(row: number): number {
    if (row === 0) return 0
    return row >= this.rows ? this.bytes.length : (this.#index()[row] ?? this.bytes.length)
  }

  /** How many rows come before a moment. */
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
    const from = this.offsetOf(row) + rowBegins.length
    return Number(this.bytes.toString("latin1", from, this.bytes.indexOf(idEnds, from)))
  }

  /** Only stretches that are cut need one, and those mostly again and again. */
  #index(): Uint32Array {
    if (this.#starts !== undefined) return this.#starts
    const starts = new Uint32Array(this.rows)
    let at = 0
    for (let row = 1; row < this.rows; row++) {
      at = this.bytes.indexOf(rowBegins, at + rowBegins.length)
      starts[row] = at
    }
    this.#starts = starts
    return starts
  }
}
