import { assert, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { promptly } from "#src/platform/process/promptly.ts"

it.effect("what is said promptly is heard before all else that is due", () =>
  Effect.gen(function* () {
    const order: Array<string> = []
    const said = yield* Effect.promise(() => Effect.runPromise(promptly(Queue.unbounded<string>())))
    const heard = Effect.map(Queue.take(said), (text) => order.push(text))
    const listener = Effect.runPromise(promptly(heard))
    yield* Effect.promise(() => {
      const due = new Promise<void>((resolve) =>
        setImmediate(() => {
          order.push("due")
          resolve()
        }),
      )
      Queue.offerUnsafe(said, "heard")
      return Promise.all([due, listener])
    })
    assert.deepStrictEqual(order, ["heard", "due"])
  }),
)
