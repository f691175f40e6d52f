import * as Setting from "#src/platform/config/Setting.ts"

export const copyPnlTime = Setting.duration("copy-pnl.time", {
  default: "180 seconds",
  min: "1 milli",
  max: "50 minutes",
  live: true,
  doc: "Time to walk one wallet's history for its copy scores; periods that are incomplete by then are partial. Keep it below copy-pnl-score.budget",
})

export const copyPnlOnDemandTime = Setting.duration("copy-pnl.on-demand-time", {
  default: "30 seconds",
  min: "1 milli",
  max: "10 minutes",
  live: true,
  doc: "Time limit of a copy-score report on demand, for all its wallets together",
})

export const copyPnlPerAccount = Setting.int("copy-pnl.per-account", {
  default: 4,
  min: 1,
  max: 1000,
  live: true,
  doc: "Concurrent copy-score reports on demand of one account per api process",
})

export const copyPnlRefresh = Setting.duration("copy-pnl.refresh", {
  default: "1 day",
  min: "1 second",
  max: "30 days",
  live: true,
  doc: "Age at which copy scores of followed wallets are refreshed, and those of other wallets deleted",
})

export const copyPnlRetry = Setting.duration("copy-pnl.retry", {
  default: "1 hour",
  min: "1 second",
  max: "30 days",
  live: true,
  doc: "Delay before a failed copy score is retried, unless the history is too long or too large",
})

export const copyPnlChunk = Setting.int("copy-pnl.chunk", {
  default: 50,
  min: 1,
  max: 10_000,
  live: true,
  doc: "Wallets whose copy scores one tick refreshes at most",
})

export const copyPnlPage = Setting.int("copy-pnl.page", {
  default: 3_000,
  min: 1,
  max: 100_000,
  live: true,
  doc: "Facts of a wallet's history per page when it is scored",
})

export const copyPnlSettings: ReadonlyArray<Setting.AnySetting> = [
  copyPnlTime,
  copyPnlOnDemandTime,
  copyPnlPerAccount,
  copyPnlRefresh,
  copyPnlRetry,
  copyPnlChunk,
  copyPnlPage,
]
