import * as Setting from "#src/platform/config/Setting.ts"

export const closedWindow = Setting.duration("catalogue.closed-window", {
  default: "7 days",
  min: "0 millis",
  max: "3650 days",
  doc: "Age of closed markets that the first load includes",
})
export const pageSize = Setting.int("catalogue.page", {
  default: 100,
  min: 1,
  max: 500,
  live: true,
  doc: "Events per request",
})
export const sweepEvery = Setting.duration("catalogue.sweep-every", {
  default: "30 seconds",
  min: "100 millis",
  max: "1 day",
  live: true,
  doc: "Pause between two reads of all open events",
})
export const newsEvery = Setting.duration("catalogue.news-every", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 day",
  live: true,
  doc: "Pause between two reads of new events, closed markets and markets mentioned by fills",
})
export const referenceEvery = Setting.duration("catalogue.reference-every", {
  default: "10 minutes",
  min: "1 second",
  max: "7 days",
  live: true,
  doc: "Pause between two reads of series, tags, teams and leagues",
})
export const priceThreshold = Setting.ratio("catalogue.price-threshold", {
  default: 0.005,
  live: true,
  doc: "Change of a price since the last recorded one that is recorded in a market's history",
})
export const historyRetention = Setting.duration("catalogue.history-retention", {
  default: "30 days",
  min: "1 hour",
  max: "3650 days",
  live: true,
  doc: "Retention of the price history of markets",
})
export const enrichmentCache = Setting.int("catalogue.enrichment-cache", {
  default: 50_000,
  min: 100,
  max: 5_000_000,
  doc: "Tokens whose market and event a process caches in memory",
})

export const catalogueSettings: ReadonlyArray<Setting.AnySetting> = [
  closedWindow,
  pageSize,
  sweepEvery,
  newsEvery,
  referenceEvery,
  priceThreshold,
  historyRetention,
  enrichmentCache,
]
