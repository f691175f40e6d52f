import type { BoardRow } from "./asked.ts"

const numbers = ["realized", "profit", "wins", "losses", "unrealized", "positions", "open", "volume"] as const
const walletBytes = 20

/**
 * The rows of a board, best first. Objects would take several times the memory, and as many boards as are kept would hold up
 * everybody whenever garbage is collected.
 */
export class BoardRows {
  readonly length: number
  readonly #wallets: Buffer
  readonly #numbers: Float64Array

  constructor(rows: ReadonlyArray<BoardRow>) {
    this.length = rows.length
    this.#wallets = Buffer.allocUnsafeSlow(rows.length * walletBytes)
    this.#numbers = new Float64Array(rows.length * numbers.length)
    for (const [place, row] of rows.entries()) {
      this.#wallets.write(row.wallet.slice(2), place * walletBytes, "hex")
      for (const [column, name] of numbers.entries()) this.#numbers[place * numbers.length + column] = row[name]
    }
  }

  #number(place: number, name: (typeof numbers)[number]): number {
    return this.#numbers[place * numbers.length + numbers.indexOf(name)] ?? 0
  }

  slice(from: number, to: number): ReadonlyArray<BoardRow> {
    const rows: Array<BoardRow> = []
    for (let place = from; place < Math.min(to, this.length); place++) {
      rows.push({
        wallet: `0x${this.#wallets.toString("hex", place * walletBytes, (place + 1) * walletBytes)}`,
        realized: this.#number(place, "realized"),
        profit: this.#number(place, "profit"),
        wins: this.#number(place, "wins"),
        losses: this.#number(place, "losses"),
        unrealized: this.#number(place, "unrealized"),
        positions: this.#number(place, "positions"),
        open: this.#number(place, "open"),
        volume: this.#number(place, "volume"),
      })
    }
    return rows
  }
}
