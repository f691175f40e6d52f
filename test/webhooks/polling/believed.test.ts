import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { orderComplete } from "#src/webhooks/polling/orderComplete/orderComplete.ts"
import { polling } from "#src/webhooks/polling/poll.ts"
import { fill, handChain, hex } from "../support/handChain.ts"
import { newAccount, newWebhook, owedTo, stores } from "../support/owed.ts"

layer(stores(), { excludeTestServices: true })("A poller that reads the log while the chain grows", (it) => {
  it.effect("does not take an order for complete whose next fill it has not read yet", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const log = yield* EventLog
      let meanwhile: Effect.Effect<unknown, unknown> = Effect.void
      const watched = EventLog.of({
        ...log,
        read: (options) =>
          Effect.tap(log.read(options), () =>
            Effect.suspend(() => {
              const now = meanwhile
              meanwhile = Effect.void
              return Effect.orDie(now)
            }),
          ),
      })
      const make = yield* Effect.provideService(polling, EventLog, watched)
      const { tick } = yield* make(yield* orderComplete)
      yield* tick
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["order_complete"])
      const order = { orderHash: hex(0x77) }
      yield* chain.mine({ 1: [fill(order)], 2: [fill(order)] })
      // Twenty seconds of the chain, of thirty that it would have to be quiet.
      yield* chain.wait(10)
      yield* tick
      meanwhile = Effect.andThen(chain.mine({ 3: [fill(order)] }), chain.wait(10))
      yield* tick
      assert.deepStrictEqual(yield* owedTo(webhook), [])
      yield* chain.wait(10)
      yield* tick
      const told = (yield* owedTo(webhook)).map(({ envelope }) => envelope.data["fill_count"])
      assert.deepStrictEqual(told, [3])
    }),
  )
})
