import { Schema } from "effect"

/** Why a book is read again from the venue. */
const resyncReasons = [
  /** A change or a timeout came before a snapshot. */
  "no-snapshot",
  /** After a change the best prices differ from those in the message. */
  "best-disagrees",
  "crossed",
  /** A message is older than the one before. */
  "out-of-order",
  "reconnect",
  /** A message could not be decoded, so its changes are unknown. */
  "unreadable",
  /** The book differs from the venue's while nothing changes. */
  "differs",
  /** A newer state that an earlier audit saw never arrived. */
  "behind",
] as const
export type ResyncReason = (typeof resyncReasons)[number]

/** Prices in 10⁻⁶ dollars, sizes in 10⁻⁶ shares, times in milliseconds UTC; null if there is none. */
export const Quote = Schema.Struct({
  bid: Schema.NullOr(Schema.Int),
  ask: Schema.NullOr(Schema.Int),
  /** Null unless both sides have orders. */
  mid: Schema.NullOr(Schema.Int),
  spread: Schema.NullOr(Schema.Int),
  /** The newest trade; only its price may be known if it happened before the book was followed. */
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

/** A full book, the best level first. */
export const Depth = Schema.Struct({
  condition: Schema.String,
  bids: Levels,
  asks: Levels,
  tickSize: Schema.NullOr(Schema.Int),
  updatedAt: Schema.Int,
})
export type Depth = typeof Depth.Type

/** A trade as published, each once. */
export const BookTrade = Schema.Struct({
  price: Schema.Int,
  size: Schema.Int,
  side: Schema.Literals(["buy", "sell"]),
  /** When it happened, by the venue's clock. */
  at: Schema.Int,
  /** In basis points, as the venue sends it. */
  feeRate: Schema.NullOr(Schema.String),
  transaction: Schema.NullOr(Schema.String),
})
export type BookTrade = typeof BookTrade.Type

/** A full book and its position in the sequence of changes. */
export const PublishedBook = Schema.Struct({
  ...Depth.fields,
  /** Epoch of the shard. */
  epoch: Schema.String,
  seq: Schema.Int,
  checksum: Schema.String,
  /** Number of trades published in this epoch. */
  trades: Schema.Int,
})
export type PublishedBook = typeof PublishedBook.Type

/** The change of a book since its last publication. */
export const BookChange = Schema.Struct({
  /** Applies to the book numbered `prev` and results in `seq`; both are equal if no level changed. */
  prev: Schema.Int,
  seq: Schema.Int,
  checksum: Schema.String,
  changes: Schema.Array(Schema.Tuple([Schema.Literals(["bid", "ask"]), Schema.Int, Schema.Int])),
  /** In order and complete; the first is number `firstTrade` of the epoch. */
  trades: Schema.Array(BookTrade),
  firstTrade: Schema.Int,
  /** Trades before these may be missing. */
  missed: Schema.optionalKey(Schema.Literal(true)),
  /** The change does not continue the last one: the full book has to be read. */
  reset: Schema.optionalKey(Schema.Literal(true)),
  /** The book is currently unknown, or no longer followed. */
  gone: Schema.optionalKey(Schema.Literals(["unsure", "left"])),
})
export type BookChange = typeof BookChange.Type

export const midOf = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? null : Math.floor((bid + ask) / 2)

export const isToken = (text: string): boolean => /^\d{1,78}$/.test(text)

/** The shard of a token. Token ids are already evenly distributed hashes. */
export const shardOf = (token: string, shards: number): number => Number(BigInt(token) % BigInt(shards))
