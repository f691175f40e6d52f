import { Effect } from "effect"
import type { ConfirmationLevel } from "../model.ts"
import { feePoller } from "./feeEarned/feeEarned.ts"
import { firstTrade, uncachedFirstTrade } from "./firstTrade/firstTrade.ts"
import { marketPollers } from "./market/market.ts"
import type { Poller } from "./model.ts"
import { finalOrderComplete, orderComplete } from "./orderComplete/orderComplete.ts"
import { pnlChange } from "./pnlChange/pnlChange.ts"
import { positionStatusChange } from "./positionStatusChange/positionStatusChange.ts"
import { priceChange } from "./priceChange/priceChange.ts"
import { tradePollers } from "./trade/trade.ts"
import { activityPollers } from "./walletActivity/walletActivity.ts"

const stateless = [...tradePollers, ...activityPollers, ...marketPollers, feePoller]

type Make<A, E, R> = <T>(poller: Poller<T>) => Effect.Effect<A, E, R>

/** Pollers with state. Where it is kept by webhook, the pollers of several levels share it, else each has its own. */
const statefulAt = {
  included: () => Effect.succeed([]),
  confirmed: Effect.fnUntraced(function* <A, E, R>(make: Make<A, E, R>) {
    return [
      yield* make(yield* firstTrade),
      yield* make(yield* priceChange),
      yield* make(yield* orderComplete),
      yield* make(yield* pnlChange),
      yield* make(yield* positionStatusChange),
    ]
  }),
  finalized: Effect.fnUntraced(function* <A, E, R>(make: Make<A, E, R>) {
    return [
      yield* make(yield* uncachedFirstTrade),
      yield* make(yield* priceChange),
      yield* make(yield* finalOrderComplete),
      yield* make(yield* pnlChange),
    ]
  }),
} as const satisfies Readonly<Record<ConfirmationLevel, unknown>>

/** Applies `make` to every poller of a level. */
export const pollersAt = Effect.fnUntraced(function* <A, E, R>(level: ConfirmationLevel, make: Make<A, E, R>) {
  return [...(yield* Effect.forEach(stateless, make)), ...(yield* statefulAt[level](make))]
})

/** Applies `make` to every poller. */
export const forEachPoller = <A, E, R>(make: Make<A, E, R>) => pollersAt("confirmed", make)
