import * as Setting from "#src/platform/Setting.ts"

export const upstream = Setting.oneOf("upstream", ["simulator", "polymarket"], {
  default: "simulator",
  doc: "Where the data come from: the simulated venue that `all` brings along, or the real one",
})

export const upstreamSettings: ReadonlyArray<Setting.AnySetting> = [upstream]
