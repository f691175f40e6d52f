import * as Setting from "#src/platform/config/Setting.ts"

export const exportCap = Setting.int("trades-export.cap", {
  default: 250_000,
  min: 1,
  max: 10_000_000,
  live: true,
  doc: "Trades of one export at most; one that has more is partial",
})
export const exportPage = Setting.int("trades-export.page", {
  default: 2000,
  min: 1,
  max: 20_000,
  live: true,
  doc: "Trades that an export looks for and hands on at a time; 2000 are about a megabyte",
})
export const exportTime = Setting.duration("trades-export.time", {
  default: "180 seconds",
  min: "1 millis",
  max: "1 hour",
  live: true,
  doc: "How long one export may look for trades; one that needs more is partial",
})
export const exportCache = Setting.duration("trades-export.cache", {
  default: "5 minutes",
  min: "1 second",
  max: "1 hour",
  live: true,
  doc: "How long an export is kept for whoever asks for the same again",
})
export const exportCacheBytes = Setting.int("trades-export.cache-bytes", {
  default: 268_435_456,
  min: 0,
  max: 68_719_476_736,
  live: true,
  doc: "Bytes of Redis that all kept exports may take, compressed as they are; the oldest go first",
})
export const exportUnderWayBytes = Setting.int("trades-export.under-way-bytes", {
  default: 1_073_741_824,
  min: 1,
  max: 68_719_476_736,
  live: true,
  doc: "Bytes of Redis, compressed, from which on no further export is begun, those included that are kept; well above trades-export.cache-bytes",
})
export const exportsPerProcess = Setting.int("trades-export.per-process", {
  default: 16,
  min: 1,
  max: 1000,
  live: true,
  doc: "Exports that one API process sends at a time",
})
export const exportsPerAccount = Setting.int("trades-export.per-account", {
  default: 4,
  min: 1,
  max: 1000,
  live: true,
  doc: "Exports that one account gets from one API process at a time",
})
export const exportBoarding = Setting.duration("trades-export.boarding", {
  default: "15 seconds",
  min: "10 millis",
  max: "10 minutes",
  live: true,
  doc: "How long an export may wait for a worker before it is refused",
})
export const exportIdle = Setting.duration("trades-export.idle", {
  default: "60 seconds",
  min: "100 millis",
  max: "1 hour",
  live: true,
  doc: "How long a client may take nothing of its export before it is cut off",
})

export const tradesSettings: ReadonlyArray<Setting.AnySetting> = [
  exportCap,
  exportPage,
  exportTime,
  exportCache,
  exportCacheBytes,
  exportUnderWayBytes,
  exportsPerProcess,
  exportsPerAccount,
  exportBoarding,
  exportIdle,
]
