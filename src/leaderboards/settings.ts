import * as Setting from "#src/platform/config/Setting.ts"

export const leaderboardsRebuildAfter = Setting.duration("leaderboards.rebuild-after", {
  default: "6 hours",
  min: "1 minute",
  max: "30 days",
  live: true,
  doc: "Boards that are further behind the ledger than this are rebuilt instead of advanced",
})

export const leaderboardsCache = Setting.int("leaderboards.cache", {
  default: 400_000,
  min: 1_000,
  max: 10_000_000,
  doc: "Board rows that an api process keeps in memory",
})

export const leaderboardsLook = Setting.duration("leaderboards.look", {
  default: "100 millis",
  min: "0 millis",
  max: "10 seconds",
  doc: "How long an api process serves its cached boards before it checks for newer ones",
})

export const leaderboardsSettings: ReadonlyArray<Setting.AnySetting> = [
  leaderboardsRebuildAfter,
  leaderboardsCache,
  leaderboardsLook,
]
