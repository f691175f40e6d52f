import { Effect } from "effect"
import type { Poller } from "../model.ts"
import { feePoller } from "./fees.ts"
import { marketPollers } from "./markets.ts"
import { positionPollers } from "./positions.ts"
import { tradePollers } from "./trades.ts"

const stateless = [...tradePollers, ...positionPollers, ...marketPollers, feePoller]

/** Every poller, given to what makes something of it. */
export const forEachPoller = Effect.fnUntraced(function* <A, E, R>(
  make: <T>(poller: Poller<T>) => Effect.Effect<A, E, R>,
) {
  return yield* Effect.forEach(stateless, make)
})
