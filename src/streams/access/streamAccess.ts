import { Layer } from "effect"
import { Doorkeeper } from "./Admission.ts"
import { ConnectionLeases } from "./ConnectionLeases.ts"
import { Farewells } from "./Farewells.ts"
import { KeyWatch } from "./KeyWatch.ts"
import { Sessions } from "./Sessions.ts"

/** Who may connect, for how long and how often, and what they are told when it ends. */
export const streamAccess = Layer.mergeAll(
  Doorkeeper.layer,
  ConnectionLeases.layer,
  KeyWatch.layer,
  Farewells.layer,
).pipe(Layer.provideMerge(Sessions.layer))
