import { Effect } from "effect"
import { feePoller } from "./feeEarned/feeEarned.ts"
import { firstTrade } from "./firstTrade/firstTrade.ts"
import { marketPollers } from "./market/market.ts"
import type { Poller } from "./model.ts"
import { orderComplete } from "./orderComplete/orderComplete.ts"
import { pnlChange } from "./pnlChange/pnlChange.ts"
import { positionStatusChange } from "./positionStatusChange/positionStatusChange.ts"
import { priceChange } from "./priceChange/priceChange.ts"
import { tradePollers } from "./trade/trade.ts"
import { activityPollers } from "./walletActivity/walletActivity.ts"

const stateless = [...tradePollers, ...activityPollers, ...marketPollers, feePoller]

/** Applies `make` to every poller. */
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
