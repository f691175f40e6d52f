import { Layer } from "effect"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { version } from "#src/platform/process/version.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { telemetry } from "#src/platform/telemetry/Telemetry.ts"

/** What every process has, even without stores: telemetry, health, addresses, shutdown. */
export const base = Shutdown.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Health.layer, Addresses.layer)),
  Layer.provideMerge(telemetry(version)),
)
