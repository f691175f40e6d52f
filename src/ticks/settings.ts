import * as Setting from "#src/platform/config/Setting.ts"

export const ticksHistory = Setting.duration("ticks.history", {
  default: "24 hours",
  min: "1 minute",
  max: "30 days",
  live: true,
  doc: "How far back ticks are loaded from sources with a history",
})
export const ticksReadyHistory = Setting.duration("ticks.ready-history", {
  default: "1 hour",
  min: "1 minute",
  max: "7 days",
  doc: "Tick history that must be loaded before the service is ready",
})
export const ticksTail = Setting.int("ticks.tail", {
  default: 10_800,
  min: 100,
  max: 1_000_000,
  live: true,
  doc: "Ticks per feed and source kept in Redis for live fan-out and short replay",
})

export const ticksRetention = Setting.duration("ticks.retention", {
  default: "30 days",
  min: "2 days",
  max: "3650 days",
  live: true,
  doc: "Retention of ticks, in whole days",
})

export const ticksSegmentMemory = Setting.int("ticks.segment-memory", {
  default: 256,
  min: 1,
  max: 65_536,
  live: true,
  doc: "Megabytes of encoded ticks that a process caches for GET /v1/crypto/ticks; a day of one source takes 20",
})

export const ticksSettings: ReadonlyArray<Setting.AnySetting> = [
  ticksHistory,
  ticksReadyHistory,
  ticksTail,
  ticksRetention,
  ticksSegmentMemory,
]
