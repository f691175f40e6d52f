import * as Setting from "#src/platform/config/Setting.ts"

export const sportsFreshFor = Setting.duration("sports.fresh-for", {
  default: "3 minutes",
  min: "1 second",
  max: "1 day",
  live: true,
  doc: "Age of the catalogue up to which sports answers come from it; beyond, the venue is asked first",
})
export const sportsStaleFor = Setting.duration("sports.stale-for", {
  default: "1 day",
  min: "0 millis",
  max: "30 days",
  live: true,
  doc: "Age up to which the last good sports answer is given, marked as stale, while no source answers",
})

export const sportsSettings: ReadonlyArray<Setting.AnySetting> = [sportsFreshFor, sportsStaleFor]
