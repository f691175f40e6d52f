import { Effect } from "effect"
import { storeAwayBody } from "#src/keys/refusals.ts"
import { describe } from "#src/platform/sqlFailure.ts"
import { Unavailable } from "../errors.ts"

/** A store that does not answer is a 503 for the client and a line for the operator. */
export const unavailable = (what: string) => (error: unknown) =>
  Effect.andThen(Effect.logWarning(`${what}: ${describe(error)}`), new Unavailable(storeAwayBody))
