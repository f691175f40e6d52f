import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { orderComplete } from "#src/webhooks/polling/orderComplete/orderComplete.ts"
import { makePolling } from "#src/webhooks/polling/Polling.ts"
import { fill, handChain, hex } from "../support/handChain.ts"
import { deliveriesOf, newAccount, newWebhook, stores } from "../support/pending.ts"

layer(stores(), { excludeTestServices: true })("A poller that reads while the chain grows", (it) => {
  it.effect("does not complete an order whose next fill it has not read yet", () =>
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
      const make = yield* Effect.provideService(makePolling, EventLog, watched)
      const { tick } = yield* make(yield* orderComplete)
      yield* tick
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["order_complete"])
      const order = { orderHash: hex(0x77) }
      yield* chain.mine({ 1: [fill(order)], 2: [fill(order)] })
      // Twenty seconds of block time, of the thirty that an order must be quiet.
      yield* chain.wait(10)
      yield* tick
      meanwhile = Effect.andThen(chain.mine({ 3: [fill(order)] }), chain.wait(10))
      yield* tick
      assert.deepStrictEqual(yield* deliveriesOf(webhook), [])
      yield* chain.wait(10)
      yield* tick
      const reported = (yield* deliveriesOf(webhook)).map(({ envelope }) => envelope.data["fill_count"])
      assert.deepStrictEqual(reported, [3])
    }),
  )
})
