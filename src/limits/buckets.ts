import { Duration } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import type { Configuration } from "#src/platform/config/Configuration.ts"
import { digestOfAddress, type SecretBytes } from "#src/secrets/digest.ts"
import type { Bucket } from "./model.ts"
import { limitsUnauthenticated, limitsWindow } from "./settings.ts"

const planBucket =
  (name: string) =>
  (config: Configuration["Service"], limit: number): Bucket => ({
    name,
    limit,
    windowMillis: Duration.toMillis(config.get(limitsWindow)),
  })

/** All REST requests of an account. */
export const standard = planBucket("standard")

/** Also counts V3 trade histories. */
export const heavy = planBucket("heavy")

export const onlineSearch: Bucket = { name: "online-search", limit: 3, windowMillis: 10_000 }

export const social: Bucket = { name: "social", limit: 1, windowMillis: 1000 }

export const copyPnlBatch: Bucket = { name: "copy-pnl-batch", limit: 1, windowMillis: 5000 }

/** Requests from one address without a valid key. */
export const addressGuard = (config: Configuration["Service"]): Bucket => ({
  name: "address",
  limit: config.get(limitsUnauthenticated),
  windowMillis: 60_000,
})

export const accountOwner = (id: AccountId) => `account:${id}`
/** Only the hash of the address is stored. */
export const addressOwner = (pepper: SecretBytes, address: string) =>
  `address:${digestOfAddress(pepper, address).toString("base64url")}`
