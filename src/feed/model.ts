import { Schema } from "effect"
import type { Facets } from "./filters/Facets.ts"

/** Event types of the public streams. A log entry may be rendered as several of them. */
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

/** A message rendered from a log entry. */
export interface FeedMessage {
  /** Of the log entry. */
  readonly seq: number
  /** When it was recorded, in milliseconds. */
  readonly at: number
  readonly type: EventType
  readonly facets: Facets
  /** What it waited for, if its subscribers asked for that. */
  readonly confirmations?: 3 | "finalized"
  /** The event's `data`, in the shape documented for its type. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A log entry with its messages; none if its fact has been retracted. */
export interface FeedEntry {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly messages: ReadonlyArray<FeedMessage>
}
