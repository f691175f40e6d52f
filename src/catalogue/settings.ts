import * as Setting from "#src/platform/config/Setting.ts"

export const closedWindow = Setting.duration("catalogue.closed-window", {
  default: "7 days",
  min: "0 millis",
  max: "3650 days",
  doc: "How far back markets that were closed before the first start are loaded",
})
export const pageSize = Setting.int("catalogue.page", {
  default: 50,
  min: 1,
  max: 500,
  live: true,
  doc: "Events that are asked for at a time",
})
export const sweepEvery = Setting.duration("catalogue.sweep-every", {
  default: "30 seconds",
  min: "100 millis",
  max: "1 day",
  live: true,
  doc: "Pause between two looks at all open events",
})
export const newsEvery = Setting.duration("catalogue.news-every", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 day",
  live: true,
  doc: "Pause between two looks at what is new, what was closed and what fills mention",
})
export const referenceEvery = Setting.duration("catalogue.reference-every", {
  default: "10 minutes",
  min: "1 second",
  max: "7 days",
  live: true,
  doc: "Pause between two looks at series, tags, teams and leagues",
})
export const priceThreshold = Setting.ratio("catalogue.price-threshold", {
  default: 0.005,
  live: true,
  doc: "By how much a price must differ from the one last noted to be noted in a market's history",
})
export const historyRetention = Setting.duration("catalogue.history-retention", {
  default: "30 days",
  min: "1 hour",
  max: "3650 days",
  live: true,
  doc: "How long the history of a market's prices is kept",
})
export const enrichmentCache = Setting.int("catalogue.enrichment-cache", {
  default: 50_000,
  min: 100,
  max: 5_000_000,
  doc: "Tokens whose market and event a process keeps in memory",
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
