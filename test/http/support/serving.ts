import { Layer } from "effect"
import { access } from "#src/roles/Access.ts"
import { reading } from "#src/roles/Reading.ts"
import { simulatorElsewhere } from "#src/roles/SimulatorChild.ts"

/** What the whole API is served from, as in production; a venue is only asked for what nobody has told. */
export const serving = Layer.merge(reading, access).pipe(Layer.provide(simulatorElsewhere))
