import * as Setting from "#src/platform/config/Setting.ts"
import { goalPattern } from "./historyGoal.ts"

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
  doc: "No block before this one is read; 0 is the venue's first block",
})
export const historyGoal = Setting.text("ledger.history", {
  default: "auto",
  pattern: goalPattern,
  wants: "all, none, a number of days such as 30d, since:<block>, since:<date such as 2026-10-01>, or auto",
  doc: "How far back the ledger reads; auto is all of the simulated venue, and of the real one 30d or as many days as the disk has room for",
})
export const historyOrder = Setting.oneOf("ledger.history-order", ["auto", "newest-first", "oldest-first"], {
  default: "auto",
  doc: "newest-first follows the head at once and reads history behind it; oldest-first reads history before it follows the head. auto is newest-first on the real venue",
})
export const retention = Setting.text("ledger.retention", {
  default: "all",
  pattern: /^(all|(3[1-9]|[4-9]\d|[1-9]\d{2,4})d)$/,
  wants: "all, or a number of days from 31 such as 180d",
  doc: "How long fills and other facts are kept once positions count them; older ones are dropped by month. Copy scores need 180d",
})
export const historyFactsPerSecond = Setting.int("ledger.history-facts-per-second", {
  default: 20_000,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Facts of history that are written per second behind the head at most",
})
export const diskCheck = Setting.oneOf("ledger.disk-check", ["on", "off"], {
  default: "on",
  doc: "on does not start if the history does not fit on the disk of the embedded Postgres",
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

export const ledgerSettings: ReadonlyArray<Setting.AnySetting> = [
  reorgDepth,
  startBlock,
  historyGoal,
  historyOrder,
  retention,
  historyFactsPerSecond,
  diskCheck,
  logsPerRequest,
  factsPerWrite,
]
