import * as Setting from "#src/platform/config/Setting.ts"

export const limitsWindow = Setting.duration("limits.window", {
  default: "1 minute",
  min: "1 second",
  max: "1 hour",
  doc: "Length of the sliding window for a plan's standard and heavy requests; plan limits are per minute",
})
export const limitsProcesses = Setting.int("limits.processes", {
  default: 1,
  min: 1,
  max: 10_000,
  live: true,
  doc: "Number of processes that serve requests: while Redis is unavailable, each admits its share of a limit",
})
export const limitsUnauthenticated = Setting.int("limits.unauthenticated-per-minute", {
  default: 120,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Requests per minute from one address without a valid key",
})
export const limitsInProgress = Setting.int("limits.in-progress", {
  default: 8,
  min: 1,
  max: 10_000,
  live: true,
  doc: "Requests of one account that a process works on at a time; others wait. Fewer than postgres.pool, or one account may use all of it",
})

export const limitsSettings: ReadonlyArray<Setting.AnySetting> = [
  limitsWindow,
  limitsProcesses,
  limitsUnauthenticated,
  limitsInProgress,
]
