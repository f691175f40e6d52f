import * as Setting from "#src/platform/config/Setting.ts"

export const fillsPerAnswer = Setting.int("wallets.fills-per-answer", {
  default: 20_000,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Fills of a wallet that an answer adds up for its fees; more are added up in the background and kept",
})
export const pnlPerAccount = Setting.int("wallets.pnl-per-account", {
  default: 4,
  min: 1,
  max: 1_000,
  live: true,
  doc: "Answers about P&L in a window that an account may have in progress in one process",
})
export const pnlPerProcess = Setting.int("wallets.pnl-per-process", {
  default: 16,
  min: 1,
  max: 10_000,
  live: true,
  doc: "Answers about P&L in a window that one process has in progress at most",
})

export const walletsSettings: ReadonlyArray<Setting.AnySetting> = [fillsPerAnswer, pnlPerAccount, pnlPerProcess]
