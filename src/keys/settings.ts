import * as Setting from "#src/platform/config/Setting.ts"

export const legacyPrefix = Setting.text("keys.legacy-prefix", {
  default: "",
  pattern: /^([a-z0-9]{2,16}_live_)?$/,
  wants: "2 to 16 of a-z and 0-9, then _live_",
  doc: "Beginning of keys from another service, which `presage keys import` takes over; empty for none",
})
export const keysCache = Setting.duration("keys.cache", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "How long a process relies on what it knows of a key; a revoked key works no longer than that",
})
export const freePerDay = Setting.int("keys.free-per-day", {
  default: 10_000,
  min: 0,
  max: 10_000_000,
  live: true,
  doc: "Free keys given out per UTC day over all addresses; 0 gives none",
})

export const keysSettings: ReadonlyArray<Setting.AnySetting> = [legacyPrefix, keysCache, freePerDay]
