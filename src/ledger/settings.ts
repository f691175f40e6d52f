import * as Setting from "#src/platform/config/Setting.ts"

export const reorgDepth = Setting.int("ledger.reorg-depth", {
  default: 256,
  min: 1,
  max: 10_000,
  doc: "Number of recent blocks that may still be replaced; a deeper reorganisation halts the follower",
})
export const startBlock = Setting.int("ledger.start-block", {
  default: 0,
  min: 0,
  max: 2_000_000_000,
  doc: "First block to read; 0 is the venue's first block",
})
export const logsPerRequest = Setting.int("ledger.logs-per-request", {
  default: 2_000,
  min: 100,
  max: 200_000,
  live: true,
  doc: "Approximate number of logs per request during the backfill",
})

export const factsPerWrite = Setting.int("ledger.facts-per-write", {
  default: 5_000,
  min: 1,
  max: 100_000,
  live: true,
  doc: "Approximate number of facts per transaction during the backfill",
})

export const ledgerSettings: ReadonlyArray<Setting.AnySetting> = [reorgDepth, startBlock, logsPerRequest, factsPerWrite]
