import { usdc } from "#src/domain/amounts.ts"
import type { CoverageStart } from "#src/ledger/coverage/CoverageStore.ts"
import type { BoardRow, Snapshot, Sort } from "./BoardQuery.ts"

/** A whole board and the counted block; undefined without rows. */
export interface CountedRows {
  readonly version: number
  readonly at: number
  readonly covered_from: number | null
  readonly covered_since: Date | null
  readonly covered_all: boolean | null
  readonly rows: Uint8Array | null
}

/** `leaderboard_state` as `s`. */
export const stateColumns =
  "s.version::float8 as version, floor(extract(epoch from s.at) * 1000)::float8 as at, s.covered_from, s.covered_since, s.covered_all"

export const sortColumns: Readonly<Record<Sort, string>> = {
  total: "realized + unrealized",
  realized: "realized",
  profit: "profit",
  loss: "profit - realized",
  volume: "volume",
  wins: "wins",
  positions: "positions",
  unrealized: "unrealized",
}

/** Sorts that need the value of every wallet in the scope. */
export const valueSorts: ReadonlySet<Sort> = new Set(["total", "unrealized"])

const coversOf = ({ covered_from, covered_since, covered_all }: CountedRows): CoverageStart | undefined =>
  covered_from === null || covered_since === null
    ? undefined
    : { block: covered_from, at: covered_since.getTime(), isComplete: covered_all === true }

export const snapshotOf = ([found]: ReadonlyArray<CountedRows>): Snapshot<BoardRows> | undefined =>
  found && {
    version: found.version,
    at: found.at,
    covers: coversOf(found),
    rows: new BoardRows(found.rows ?? new Uint8Array()),
  }

const rankedFigures = ["realized", "profit", "wins", "losses"] as const
const allTimeFigures = ["unrealized", "positions", "open", "volume", "partial"] as const
const figures = [...rankedFigures, ...allTimeFigures]
const walletBytes = 20
const width = walletBytes + figures.length * 8

/**
 * A row as a fixed number of bytes: the ranked figures (`b`), the wallet's address, the sums over its positions and their
 * value, which are zero for a wallet without positions.
 */
export const packedRow = (standing: "b" | "t", value: "b" | "t" | "v"): string =>
  [
    "b.address",
    ...rankedFigures.map((name) => `float8send(b.${name}::float8)`),
    ...allTimeFigures.map(
      (name) => `float8send(coalesce(${name === "unrealized" ? value : standing}.${name}, 0)::float8)`,
    ),
  ].join(" || ")

/**
 * The rows of a board, best first, packed by Postgres into one value. Creating an object per row would take longer than the
 * rest of reading a board, and the cached boards would lengthen every garbage collection.
 */
export class BoardRows {
  readonly length: number
  readonly #bytes: Buffer

  constructor(bytes: Uint8Array) {
    this.length = bytes.length / width
    if (!Number.isInteger(this.length)) throw new Error(`${bytes.length} bytes are no rows of ${width} bytes each`)
    // A copy, because the bytes may be part of a larger receive buffer.
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
        realized: usdc(this.#figure(place, "realized")),
        profit: usdc(this.#figure(place, "profit")),
        wins: this.#figure(place, "wins"),
        losses: this.#figure(place, "losses"),
        unrealized: usdc(this.#figure(place, "unrealized")),
        positions: this.#figure(place, "positions"),
        open: this.#figure(place, "open"),
        volume: usdc(this.#figure(place, "volume")),
        partial: this.#figure(place, "partial"),
      })
    }
    return rows
  }
}
