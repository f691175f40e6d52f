import * as Setting from "#src/platform/config/Setting.ts"

export const statusEvery = Setting.duration("status.every", {
  default: "2 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "How often a process stores its measurements for `presage status`",
})

export const statusSettings: ReadonlyArray<Setting.AnySetting> = [statusEvery]
