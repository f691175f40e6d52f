import * as Setting from "#src/platform/config/Setting.ts"

export const leaderboardsReprice = Setting.duration("leaderboards.reprice", {
  default: "1 minute",
  min: "1 second",
  max: "1 day",
  live: true,
  doc: "How often open positions on the boards of all time are valued at newer prices",
})

export const leaderboardsRepriceTime = Setting.duration("leaderboards.reprice-time", {
  default: "200 millis",
  min: "1 millis",
  max: "5 seconds",
  live: true,
  doc: "For how long one refresh of the boards values open positions at newer prices; the next one goes on",
})

export const leaderboardsRebuildAfter = Setting.duration("leaderboards.rebuild-after", {
  default: "6 hours",
  min: "1 minute",
  max: "30 days",
  live: true,
  doc: "Boards that are further behind the ledger than this are built anew instead of brought up to date",
})

export const leaderboardsCache = Setting.int("leaderboards.cache", {
  default: 400_000,
  min: 1_000,
  max: 10_000_000,
  doc: "Rows of boards that a process that serves them keeps in memory",
})

export const leaderboardsLook = Setting.duration("leaderboards.look", {
  default: "100 millis",
  min: "0 millis",
  max: "10 seconds",
  doc: "For how long a process that serves boards takes those that it knows for the newest before it looks again",
})

export const leaderboardsSettings: ReadonlyArray<Setting.AnySetting> = [
  leaderboardsReprice,
  leaderboardsRepriceTime,
  leaderboardsRebuildAfter,
  leaderboardsCache,
  leaderboardsLook,
]
