import * as Setting from "#src/platform/config/Setting.ts"

export const booksTop = Setting.int("books.top", {
  default: 50,
  min: 0,
  max: 5_000,
  live: true,
  doc: "Number of markets, by volume of the last 24 hours, whose order books are always followed",
})

export const booksShards = Setting.int("books.shards", {
  default: 4,
  min: 1,
  max: 256,
  doc: "Number of shards that the order books are divided into; must be the same in all processes",
})

export const booksPriceChangeThreshold = Setting.ratio("books.price-change-threshold", {
  default: 0.01,
  live: true,
  doc: "Movement of a midpoint, in dollars, that counts as a price change",
})

export const booksAudit = Setting.duration("books.audit", {
  default: "3 seconds",
  min: "200 millis",
  max: "10 minutes",
  live: true,
  doc: "Interval between comparisons of the followed books with the venue's",
})

export const booksTail = Setting.int("books.tail", {
  default: 1_000,
  min: 50,
  max: 100_000,
  doc: "Publications of a shard that Redis keeps for the gateways; a shard writes up to ten a second",
})

export const booksRecordLevels = Setting.int("books.record-levels", {
  default: 10,
  min: 0,
  max: 100,
  live: true,
  doc: "Levels of each side that are recorded of a followed order book after its trades; 0 records none",
})

export const booksRecordEvery = Setting.duration("books.record-every", {
  default: "5 seconds",
  min: "1 second",
  max: "1 minute",
  live: true,
  doc: "Shortest time between two recorded order books of a token",
})

export const booksRecordRetention = Setting.duration("books.record-retention", {
  default: "7 days",
  min: "1 day",
  max: "3650 days",
  live: true,
  doc: "Retention of recorded order books, in whole days",
})

export const booksSettings: ReadonlyArray<Setting.AnySetting> = [
  booksTop,
  booksShards,
  booksPriceChangeThreshold,
  booksAudit,
  booksTail,
  booksRecordLevels,
  booksRecordEvery,
  booksRecordRetention,
]
