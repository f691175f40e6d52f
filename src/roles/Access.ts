import { Layer } from "effect"
import { Admission } from "#src/access/Admission.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { Keys } from "#src/keys/Keys.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import { Quota } from "#src/limits/Quota.ts"
import { Meter } from "#src/usage/Meter.ts"
import { Usage } from "#src/usage/Usage.ts"
import { webhookAccountChanges } from "#src/webhooks/subscriptions/accountChanges.ts"

/** Accounts and keys, with the webhooks that depend on them. */
export const accountKeys = Layer.provide(Keys.layer, webhookAccountChanges)

/** Access control, limits and metering, for every process that answers clients with keys. */
export const access = Admission.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(accountKeys, Authenticator.layer, Limiter.layer, Quota.layer, Usage.layer, Meter.layer),
  ),
)
