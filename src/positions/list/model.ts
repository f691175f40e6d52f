import { Schema } from "effect"
import type { AsOf } from "#src/ledger/asOf.ts"
import type { PositionFilter } from "../PositionFilter.ts"
import type { ShownPosition } from "../ShownPosition.ts"

export const positionSorts = [
  "recent",
  "realized_pnl",
  "unrealized_pnl",
  "total_pnl",
  "size",
  "value",
  "total_bought",
  "avg_price",
] as const
export type PositionSort = (typeof positionSorts)[number]

/** Where a position is in a sorted list. Ids decide among equal values. */
export interface PositionPlace {
  /** A whole number: 10⁻⁶ of dollars or shares, or milliseconds. */
  readonly sort: bigint
  readonly token: number
  readonly wallet: number
}

export interface PositionQuery {
  /** In lower case; undefined for all wallets. */
  readonly wallet?: string | undefined
  readonly filter: PositionFilter
  /** Whether combos are listed as well. */
  readonly withCombos: boolean
  /** Whether nothing else is listed; of one wallet. */
  readonly onlyCombos?: boolean
  readonly sort: PositionSort
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  /** The last position of the page before. */
  readonly behind: PositionPlace | undefined
}

export const legStatuses = ["open", "won", "lost", "split"] as const

/** One outcome that a combo needs. */
export interface ComboLeg {
  /** Token id. */
  readonly position: string
  /** Names are null while its market is not listed. */
  readonly outcome: string | null
  readonly slug: string | null
  readonly eventTitle: string | null
  /** `split`: the outcome pays a part. */
  readonly status: (typeof legStatuses)[number]
}

export interface ListedPosition extends ShownPosition {
  /** Only combos have legs; empty while they are unknown. */
  readonly legs: ReadonlyArray<ComboLeg> | undefined
}

export interface PositionPage {
  readonly positions: ReadonlyArray<ListedPosition>
  /** The next page begins behind this place; undefined at the end. A page may be short although there is another. */
  readonly next: PositionPlace | undefined
  /** Undefined while the ledger is empty. */
  readonly asOf: AsOf | undefined
}

/** No index has the positions of all wallets in this order. */
export class TooBroad extends Schema.TaggedError<TooBroad>()("TooBroad", { sort: Schema.String }) {}
