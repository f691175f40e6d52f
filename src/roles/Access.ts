import { Layer } from "effect"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { Keys } from "#src/keys/Keys.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import { Quota } from "#src/limits/Quota.ts"
import { Meter } from "#src/usage/Meter.ts"
import { Usage } from "#src/usage/Usage.ts"

/** Who may ask, how often, and how much they did: for everything that answers somebody with a key. */
export const access = Layer.mergeAll(
  Keys.layer,
  Authenticator.layer,
  Limiter.layer,
  Quota.layer,
  Usage.layer,
  Meter.layer,
)
