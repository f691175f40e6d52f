import * as Setting from "#src/platform/config/Setting.ts"

export const exportCap = Setting.int("trades-export.cap", {
  default: 250_000,
  min: 1,
  max: 10_000_000,
  live: true,
  doc: "Trades per export at most; a longer export is partial",
})
export const exportPage = Setting.int("trades-export.page", {
  default: 2000,
  min: 1,
  max: 20_000,
  live: true,
  doc: "Trades per page of an export; 2000 are about a megabyte",
})
export const exportTime = Setting.duration("trades-export.time", {
  default: "180 seconds",
  min: "1 millis",
  max: "1 hour",
  live: true,
  doc: "Time limit of one export; one that needs longer is partial",
})
export const exportCache = Setting.duration("trades-export.cache", {
  default: "5 minutes",
  min: "1 second",
  max: "1 hour",
  live: true,
  doc: "How long a finished export is kept for equal requests",
})
export const exportCacheBytes = Setting.int("trades-export.cache-bytes", {
  default: 268_435_456,
  min: 0,
  max: 68_719_476_736,
  live: true,
  doc: "Compressed bytes that kept exports may take in Redis; the oldest are dropped first",
})
export const exportsHeldBytes = Setting.int("trades-export.under-way-bytes", {
  default: 1_073_741_824,
  min: 1,
  max: 68_719_476_736,
  live: true,
  doc: "Compressed bytes of running and kept exports in Redis above which no export starts; keep it well above trades-export.cache-bytes",
})
export const exportsPerProcess = Setting.int("trades-export.per-process", {
  default: 16,
  min: 1,
  max: 1000,
  live: true,
  doc: "Concurrent exports per api process",
})
export const exportsPerAccount = Setting.int("trades-export.per-account", {
  default: 4,
  min: 1,
  max: 1000,
  live: true,
  doc: "Concurrent exports of one account per api process",
})
export const exportStartWithin = Setting.duration("trades-export.boarding", {
  default: "15 seconds",
  min: "10 millis",
  max: "10 minutes",
  live: true,
  doc: "How long an export waits for a worker before it is refused",
})
export const exportIdle = Setting.duration("trades-export.idle", {
  default: "60 seconds",
  min: "100 millis",
  max: "1 hour",
  live: true,
  doc: "How long a client may read nothing of its export before it is disconnected",
})

export const tradesSettings: ReadonlyArray<Setting.AnySetting> = [
  exportCap,
  exportPage,
  exportTime,
  exportCache,
  exportCacheBytes,
  exportsHeldBytes,
  exportsPerProcess,
  exportsPerAccount,
  exportStartWithin,
  exportIdle,
]
