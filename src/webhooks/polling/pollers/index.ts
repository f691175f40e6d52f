import { Effect } from "effect"
import { firstTrade } from "../firstTrade/firstTrade.ts"
import type { Poller } from "../model.ts"
import { orderComplete } from "../orderComplete/orderComplete.ts"
import { pnlChange } from "../pnlChange/pnlChange.ts"
import { positionStatusChange } from "../positions/positionStatusChange.ts"
import { priceChange } from "../priceChange/priceChange.ts"
import { feePoller } from "./fees.ts"
import { marketPollers } from "./markets.ts"
import { positionPollers } from "./positions.ts"
import { tradePollers } from "./trades.ts"

const stateless = [...tradePollers, ...positionPollers, ...marketPollers, feePoller]

/** Every poller, given to what makes something of it. */
export const forEachPoller = Effect.fnUntraced(function* <A, E, R>(
  make: <T>(poller: Poller<T>) => Effect.Effect<A, E, R>,
) {
  return [
    ...(yield* Effect.forEach(stateless, make)),
    yield* make(yield* firstTrade),
    yield* make(yield* priceChange),
    yield* make(yield* orderComplete),
    yield* make(yield* pnlChange),
    yield* make(yield* positionStatusChange),
  ]
})
