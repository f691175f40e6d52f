import * as Setting from "#src/platform/config/Setting.ts"

export const limitsWindow = Setting.duration("limits.window", {
  default: "1 minute",
  min: "1 second",
  max: "1 hour",
  doc: "The stretch of time for which a plan's standard and heavy requests are counted; the plans mean a minute",
})
export const limitsProcesses = Setting.int("limits.processes", {
  default: 1,
  min: 1,
  max: 10_000,
  live: true,
  doc: "Processes that serve requests: while Redis is away each admits this part of a limit",
})
export const limitsUnauthenticated = Setting.int("limits.unauthenticated-per-minute", {
  default: 120,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Requests a minute from one address that bring no good key",
})

export const limitsSettings: ReadonlyArray<Setting.AnySetting> = [limitsWindow, limitsProcesses, limitsUnauthenticated]
