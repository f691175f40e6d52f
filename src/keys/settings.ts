import * as Setting from "#src/platform/config/Setting.ts"

export const legacyPrefix = Setting.text("keys.legacy-prefix", {
  default: "",
  pattern: /^([a-z0-9]{2,16}_live_)?$/,
  wants: "2 to 16 characters a-z and 0-9, followed by _live_",
  doc: "Prefix of another service's keys that `presage keys import` accepts; empty for none",
})
export const keysCache = Setting.duration("keys.cache", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "How long a process caches the result of a key check; a revoked key works no longer than that",
})
export const freePerDay = Setting.int("keys.free-per-day", {
  default: 10_000,
  min: 0,
  max: 10_000_000,
  live: true,
  doc: "Free keys issued per UTC day over all addresses; 0 issues none",
})

export const keysSettings: ReadonlyArray<Setting.AnySetting> = [legacyPrefix, keysCache, freePerDay]
