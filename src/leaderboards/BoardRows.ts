import type { BoardRow } from "./asked.ts"

const rankedFigures = ["realized", "profit", "wins", "losses"] as const
const standingFigures = ["unrealized", "positions", "open", "volume"] as const
const figures = [...rankedFigures, ...standingFigures]
const walletBytes = 20
const width = walletBytes + figures.length * 8

/**
 * A row as so many bytes: what is ranked, as `b`, with the address of the wallet, and what is summed up of its positions,
 * nothing where it has none.
 */
export const packedRow = (standing: "b" | "t"): string =>
  [
    "b.address",
    ...rankedFigures.map((name) => `float8send(b.${name}::float8)`),
    ...standingFigures.map((name) => `float8send(coalesce(${standing}.${name}, 0)::float8)`),
  ].join(" || ")

/**
 * The rows of a board, best first, as Postgres packs them into one value. To make an object of every row would take longer
 * than all the rest of reading a board, and as many boards as are kept would hold up everybody whenever garbage is collected.
 */
export class BoardRows {
  readonly length: number
  readonly #bytes: Buffer

  constructor(bytes: Uint8Array) {
    this.length = bytes.length / width
    if (!Number.isInteger(this.length)) throw new Error(`${bytes.length} bytes are no rows of ${width} bytes each`)
    // A copy: these may be part of a larger piece that was received.
    this.#bytes = Buffer.from(bytes.slice().buffer)
  }

  #figure(place: number, name: (typeof figures)[number]): number {
    return this.#bytes.readDoubleBE(place * width + walletBytes + figures.indexOf(name) * 8)
  }

  slice(from: number, to: number): ReadonlyArray<BoardRow> {
    const rows: Array<BoardRow> = []
    for (let place = from; place < Math.min(to, this.length); place++) {
      rows.push({
        wallet: `0x${this.#bytes.toString("hex", place * width, place * width + walletBytes)}`,
        realized: this.#figure(place, "realized"),
        profit: this.#figure(place, "profit"),
        wins: this.#figure(place, "wins"),
        losses: this.#figure(place, "losses"),
        unrealized: this.#figure(place, "unrealized"),
        positions: this.#figure(place, "positions"),
        open: this.#figure(place, "open"),
        volume: this.#figure(place, "volume"),
      })
    }
    return rows
  }
}
