import { Context, Effect, Layer } from "effect"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import type { PollerName } from "../contracts.ts"
import { polling } from "./poll.ts"
import { forEachPoller } from "./pollers/index.ts"

/** Looks for what webhooks are to be told. */
export class Polling extends Context.Service<
  Polling,
  {
    /** Reads what is new for one poller and writes what is owed; to do it twice, or at the same time, changes nothing. */
    readonly tick: (poller: PollerName) => Effect.Effect<void, TxError>
  }
>()("presage/webhooks/Polling") {
  static readonly layer = Layer.effect(
    Polling,
    Effect.gen(function* () {
      const polled = yield* forEachPoller(yield* polling)
      const ticks = new Map(polled.map(({ name, tick }) => [name, tick]))
      return Polling.of({ tick: (poller) => ticks.get(poller) ?? Effect.void })
    }),
  )
}
