import { Duration } from "effect"
import type { AccountId, KeyId } from "#src/keys/model.ts"
import type { Configuration } from "#src/platform/Configuration.ts"
import type { Bucket } from "./model.ts"
import { limitsUnauthenticated, limitsWindow } from "./settings.ts"

/** Everything that an account asks over REST. */
export const standard = (config: Configuration["Service"], limit: number): Bucket => ({
  name: "standard",
  limit,
  windowMillis: Duration.toMillis(config.get(limitsWindow)),
})

/** Of these, trade histories of V3. */
export const heavy = (config: Configuration["Service"], limit: number): Bucket => ({
  name: "heavy",
  limit,
  windowMillis: Duration.toMillis(config.get(limitsWindow)),
})

export const onlineSearch: Bucket = { name: "online-search", limit: 3, windowMillis: 10_000 }

export const social: Bucket = { name: "social", limit: 1, windowMillis: 1000 }

/** For what comes from an address without a good key. */
export const addressGuard = (config: Configuration["Service"]): Bucket => ({
  name: "address",
  limit: config.get(limitsUnauthenticated),
  windowMillis: 60_000,
})

export const accountOwner = (id: AccountId) => `account:${id}`
export const keyOwner = (id: KeyId) => `key:${id}`
/** Of an address only its hash is kept. */
export const addressOwner = (hash: string) => `address:${hash}`
