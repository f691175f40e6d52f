import { Layer } from "effect"
import { access } from "#src/roles/Access.ts"
import { apiServices } from "#src/roles/ApiServices.ts"
import { reading } from "#src/roles/Reading.ts"
import { externalSimulator } from "#src/roles/SimulatorChild.ts"

/**
 * Services of the whole API, as in production. Built fresh, because a test with its own venue must not share the upstreams
 * of another one.
 */
export const serving = Layer.fresh(Layer.mergeAll(reading, access, apiServices).pipe(Layer.provide(externalSimulator)))
