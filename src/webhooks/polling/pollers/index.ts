import { Effect } from "effect"
import type { Poller } from "../model.ts"
import { tradePollers } from "./trades.ts"

/** Every poller, given to what makes something of it. */
export const forEachPoller = Effect.fnUntraced(function* <A, E, R>(
  make: <T>(poller: Poller<T>) => Effect.Effect<A, E, R>,
) {
  return yield* Effect.forEach(tradePollers, make)
})
