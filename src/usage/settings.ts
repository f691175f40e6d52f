import * as Setting from "#src/platform/config/Setting.ts"

export const usageFlush = Setting.duration("usage.flush", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "How often a process stores the requests and bytes it counted; `GET /v1/usage` lags behind by at most this",
})

export const usageSettings: ReadonlyArray<Setting.AnySetting> = [usageFlush]
