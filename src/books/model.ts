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

/** A trade as it is told on, each once. */
export const BookTrade = Schema.Struct({
  price: Schema.Int,
  size: Schema.Int,
  side: Schema.Literals(["buy", "sell"]),
  /** When it happened, by the venue's clock. */
  at: Schema.Int,
  /** In hundredths of a percent, as the venue writes it. */
  feeRate: Schema.NullOr(Schema.String),
  transaction: Schema.NullOr(Schema.String),
})
export type BookTrade = typeof BookTrade.Type

/** A whole book, and its place among the changes that are told of it. */
export const PublishedBook = Schema.Struct({
  ...Depth.fields,
  /** Of the shard that keeps it. */
  epoch: Schema.String,
  seq: Schema.Int,
  checksum: Schema.String,
  /** How many trades have been told in this epoch. */
  trades: Schema.Int,
})
export type PublishedBook = typeof PublishedBook.Type

/** What became of a book since it was last told of. */
export const BookChange = Schema.Struct({
  /** It leads from the book with the number `prev` to that with the number `seq`; the same where no level changed. */
  prev: Schema.Int,
  seq: Schema.Int,
  checksum: Schema.String,
  changes: Schema.Array(Schema.Tuple([Schema.Literals(["bid", "ask"]), Schema.Int, Schema.Int])),
  /** All of them, in order; the first is the `firstTrade`th of the epoch. */
  trades: Schema.Array(BookTrade),
  firstTrade: Schema.Int,
  /** Before these trades there may have been others that nobody heard of. */
  missed: Schema.optionalKey(Schema.Literal(true)),
  /** Nothing leads from what was told before to this: the whole book is to be read. */
  reset: Schema.optionalKey(Schema.Literal(true)),
  /** Nobody knows the book at the moment, or nobody follows it any more. */
  gone: Schema.optionalKey(Schema.Literals(["unsure", "left"])),
})
export type BookChange = typeof BookChange.Type

export const midOf = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? null : Math.floor((bid + ask) / 2)

export const isToken = (text: string): boolean => /^\d{1,78}$/.test(text)

/** Which of the shards keeps the book of a token. Token ids are hashes themselves. */
export const shardOf = (token: string, shards: number): number => Number(BigInt(token) % BigInt(shards))
