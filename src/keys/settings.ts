import { Option, Redacted, Schema } from "effect"
import * as Setting from "#src/platform/Setting.ts"

const leastSecret = 16

const secret = Setting.secretText("presage.secret", {
  doc: "What keys and webhook secrets are protected with, instead of secrets.json; the same in every process",
})
export const presageSecret: typeof secret = {
  ...secret,
  schema: secret.schema.check(
    Schema.makeFilter((given) => Option.isNone(given) || Redacted.value(given.value).length >= leastSecret),
  ),
  wants: `a text of at least ${leastSecret} characters`,
}
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

export const keysSettings: ReadonlyArray<Setting.AnySetting> = [presageSecret, legacyPrefix, keysCache, freePerDay]
