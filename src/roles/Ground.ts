import { Layer } from "effect"
import { Addresses } from "#src/platform/Addresses.ts"
import { Health } from "#src/platform/Health.ts"
import { Shutdown } from "#src/platform/Shutdown.ts"
import { telemetry } from "#src/platform/Telemetry.ts"
import { version } from "#src/platform/version.ts"

/** What even a process without stores has: telemetry, health, its addresses, a way to stop. */
export const ground = Shutdown.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Health.layer, Addresses.layer)),
  Layer.provideMerge(telemetry(version)),
)
