import { Schema } from "effect"

/** Why a book was read anew from the venue. */
export const resyncReasons = [
  /** A change came, or time passed, before there was a book to change. */
  "no-snapshot",
  /** After a change the best prices are not those that the venue tells. */
  "best-disagrees",
  "crossed",
  /** A message is older than one that came before. */
  "out-of-order",
  "reconnect",
  /** A message could not be read, so that nobody knows what it changed. */
  "unreadable",
  /** At rest it differs from what the venue shows. */
  "differs",
  /** The venue showed something newer a while ago that never came. */
  "behind",
] as const
export type ResyncReason = (typeof resyncReasons)[number]

/** Prices in 10⁻⁶ dollars, sizes in 10⁻⁶ shares, moments in milliseconds UTC; null where there is nothing. */
export const Quote = Schema.Struct({
  bid: Schema.NullOr(Schema.Int),
  ask: Schema.NullOr(Schema.Int),
  /** Null unless both sides have somebody waiting. */
  mid: Schema.NullOr(Schema.Int),
  spread: Schema.NullOr(Schema.Int),
  /** The newest trade; of one that happened before we watched only the price may be known. */
  lastTrade: Schema.NullOr(
    Schema.Struct({
      price: Schema.Int,
      side: Schema.NullOr(Schema.Literals(["buy", "sell"])),
      size: Schema.NullOr(Schema.Int),
      at: Schema.NullOr(Schema.Int),
    }),
  ),
  tickSize: Schema.NullOr(Schema.Int),
  /** When the book last changed, by the venue's clock. */
  updatedAt: Schema.Int,
})
export type Quote = typeof Quote.Type

const Levels = Schema.Array(Schema.Struct({ price: Schema.Int, size: Schema.Int }))

/** A whole book, the best level first. */
export const Depth = Schema.Struct({
  condition: Schema.String,
  bids: Levels,
  asks: Levels,
  tickSize: Schema.NullOr(Schema.Int),
  updatedAt: Schema.Int,
})
export type Depth = typeof Depth.Type

export const midOf = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? null : Math.floor((bid + ask) / 2)

export const isToken = (text: string): boolean => /^\d{1,78}$/.test(text)

/** Which of the shards keeps the book of a token. Token ids are hashes themselves. */
export const shardOf = (token: string, shards: number): number => Number(BigInt(token) % BigInt(shards))
