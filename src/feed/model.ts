import { Schema } from "effect"

/** What subscribers hear of, by the names that they use. A log entry may be told in more than one of these ways. */
export const eventTypes = [
  "fill",
  "settlement",
  "status_update",
  "trade",
  "position_split",
  "position_merge",
  "positions_converted",
  "position_change",
  "redemption",
  "deposit",
  "block",
  "oracle",
  "reorg",
  "combo_execution",
  "combo_status_update",
  "combo_lifecycle",
  "combo_approval",
  "market_created",
  "market_resolved",
  "price_change",
  "score",
] as const
export type EventType = (typeof eventTypes)[number]
export const EventType = Schema.Literals(eventTypes)

/** What filters look at. Everything as it is written at the edge: small letters, `0x`, tokens as decimals. */
export interface Facets {
  /** Whose event it is: the maker of a fill, everybody who takes part in a settlement, both ends of a transfer. */
  readonly wallets: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  readonly conditions: ReadonlyArray<string>
  readonly side: "BUY" | "SELL" | undefined
  /** Dollars, in 10⁻⁶. */
  readonly size: number | undefined
  readonly status: "pending" | "confirmed" | undefined
  /**
   * The taker's own row of a match, whose counterparts have rows of their own: told only to those who ask for this
   * wallet, so that nobody sees a trade twice.
   */
  readonly onlyForWallet: boolean
  /** For combos alone. */
  readonly combo?: ComboFacets
}

export interface ComboFacets {
  readonly conditions: ReadonlyArray<string>
  readonly legs: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
  readonly modules: ReadonlyArray<number>
  readonly action: string | undefined
  readonly direction: string | undefined
}

/** One way in which an entry of the log is told. */
export interface FeedMessage {
  /** Of the entry in the log. */
  readonly seq: number
  /** When it was recorded, in milliseconds. */
  readonly at: number
  readonly type: EventType
  readonly facets: Facets
  /** The `data` of the event, in the shape that is documented for its type. */
  readonly data: Readonly<Record<string, unknown>>
}

/** An entry of the log with everything it says. Nothing is said of a fact that has been taken back meanwhile. */
export interface FeedEntry {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly messages: ReadonlyArray<FeedMessage>
}
