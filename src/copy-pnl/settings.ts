import * as Setting from "#src/platform/config/Setting.ts"

export const copyPnlTime = Setting.duration("copy-pnl.time", {
  default: "180 seconds",
  min: "1 milli",
  max: "50 minutes",
  live: true,
  doc: "Time to walk one wallet's history for its copy scores; periods that are not complete by then are partial. Keep it below copy-pnl-score.budget",
})

export const copyPnlOnDemandTime = Setting.duration("copy-pnl.on-demand-time", {
  default: "30 seconds",
  min: "1 milli",
  max: "10 minutes",
  live: true,
  doc: "Time for a copy score that somebody waits for, of all wallets of a request together",
})

export const copyPnlPerAccount = Setting.int("copy-pnl.per-account", {
  default: 4,
  min: 1,
  max: 1000,
  live: true,
  doc: "Requests for copy scores on demand that one account has under way in one API process at a time",
})

export const copyPnlRefresh = Setting.duration("copy-pnl.refresh", {
  default: "1 day",
  min: "1 second",
  max: "30 days",
  live: true,
  doc: "Age at which copy scores of followed wallets are made anew, and those of others forgotten",
})

export const copyPnlRetry = Setting.duration("copy-pnl.retry", {
  default: "1 hour",
  min: "1 second",
  max: "30 days",
  live: true,
  doc: "After how long a followed wallet is scored again that could not be, unless its history is too long or too large",
})

export const copyPnlChunk = Setting.int("copy-pnl.chunk", {
  default: 50,
  min: 1,
  max: 10_000,
  live: true,
  doc: "Wallets whose copy scores one tick asks for anew at most",
})

export const copyPnlPage = Setting.int("copy-pnl.page", {
  default: 3_000,
  min: 1,
  max: 100_000,
  live: true,
  doc: "Facts of a wallet's history that are read at a time for its copy scores",
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
