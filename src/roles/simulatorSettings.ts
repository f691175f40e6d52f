import * as Setting from "#src/platform/config/Setting.ts"
import { scales } from "#src/simulator/world/scale.ts"

export const simPort = Setting.port("sim.port", {
  default: 8090,
  doc: "Port of the simulated venue; 0 picks a free one",
})
export const simHost = Setting.text("sim.host", {
  default: "127.0.0.1",
  doc: "Address the simulated venue listens on; it needs no key, so only this machine reaches it by default",
})
export const simSeed = Setting.int("sim.seed", {
  default: 1,
  min: 0,
  max: 4_294_967_295,
  doc: "Seed of the simulated world; the same seed and genesis give the same bytes",
})
export const simGenesis = Setting.text("sim.genesis", {
  default: "now",
  pattern: /^(now|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)$/,
  wants: "now, or a moment such as 2026-11-15T00:00:00Z",
  doc: "Start of the simulated world's live part; its history lies before",
})
export const simScale = Setting.oneOf("sim.scale", Object.keys(scales) as Array<keyof typeof scales>, {
  default: "month",
  doc: "How much history the simulated world has",
})
export const simRate = Setting.int("sim.rate", {
  default: 5,
  min: 1,
  max: 500,
  doc: "Filled orders a second in the simulated world",
})
export const simGames = Setting.int("sim.games", {
  default: 0,
  min: 0,
  max: 2000,
  doc: "Further games in play at any time in the simulated world; ten times as many are announced",
})

export const simulatorSettings: ReadonlyArray<Setting.AnySetting> = [
  simHost,
  simPort,
  simSeed,
  simGenesis,
  simScale,
  simRate,
  simGames,
]
