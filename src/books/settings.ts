import * as Setting from "#src/platform/config/Setting.ts"

export const booksTop = Setting.int("books.top", {
  default: 50,
  min: 0,
  max: 5_000,
  live: true,
  doc: "Markets whose books are always kept: those with the highest volume of the last 24 hours",
})

export const booksShards = Setting.int("books.shards", {
  default: 4,
  min: 1,
  max: 256,
  doc: "Parts into which the order books are divided among the workers; the same in all processes",
})

export const booksPriceChangeThreshold = Setting.ratio("books.price-change-threshold", {
  default: 0.01,
  live: true,
  doc: "How far a midpoint must move, in dollars, to be announced as a price change",
})

export const booksAudit = Setting.duration("books.audit", {
  default: "3 seconds",
  min: "200 millis",
  max: "10 minutes",
  live: true,
  doc: "How often the books that are kept are compared with those that the venue shows",
})

export const booksTail = Setting.int("books.tail", {
  default: 1_000,
  min: 50,
  max: 100_000,
  doc: "Publications of a shard's changes that Redis keeps for the gateways; there are up to ten a second",
})

export const booksSettings: ReadonlyArray<Setting.AnySetting> = [
  booksTop,
  booksShards,
  booksPriceChangeThreshold,
  booksAudit,
  booksTail,
]
