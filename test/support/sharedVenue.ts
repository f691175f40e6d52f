import { Context, Effect, Layer } from "effect"
import type { SimulatorOptions } from "#src/simulator/start.ts"
import { runningVenue } from "./venue.ts"

/** A venue that tests use one after the other; each advances its time further. */
class SharedVenue extends Context.Service<SharedVenue, Effect.Success<ReturnType<typeof runningVenue>>>()(
  "test/support/SharedVenue",
) {}

export const venueShared = (seed: number, more: Partial<SimulatorOptions> = {}) =>
  Layer.effect(SharedVenue, runningVenue(seed, more))

/** The shared venue, without the faults of earlier tests. */
export const sharedVenue = Effect.tap(SharedVenue, ({ url }) =>
  Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" })),
)
