import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { fairScheduler, withImmediateScheduler } from "#src/platform/process/schedulers.ts"

it.effect("withImmediateScheduler resumes before everything else that is due", () =>
  Effect.gen(function* () {
    const order: Array<string> = []
    const queue = yield* Effect.promise(() => Effect.runPromise(withImmediateScheduler(Queue.unbounded<string>())))
    const receive = Effect.map(Queue.take(queue), (text) => order.push(text))
    const listener = Effect.runPromise(withImmediateScheduler(receive))
    yield* Effect.promise(() => {
      const due = new Promise<void>((resolve) =>
        setImmediate(() => {
          order.push("due")
          resolve()
        }),
      )
      Queue.offerUnsafe(queue, "received")
      return Promise.all([due, listener])
    })
    assert.deepStrictEqual(order, ["received", "due"])
  }),
)

/** Longer than the slice after which sockets are read. */
const longMillis = 3
const work = Effect.sync(() => {
  const until = performance.now() + longMillis
  while (performance.now() < until) {}
})

/** Counts how often Node reads its sockets. */
const rounds = Effect.acquireRelease(
  Effect.sync(() => {
    const counter = { passed: 0, timer: undefined as NodeJS.Immediate | undefined }
    const count = () => {
      counter.passed++
      counter.timer = setImmediate(count)
    }
    counter.timer = setImmediate(count)
    return counter
  }),
  (counter) => Effect.sync(() => clearImmediate(counter.timer)),
)

const runFairly = <A>(effect: Effect.Effect<A>) =>
  Effect.promise(() => Effect.runPromise(effect, { scheduler: fairScheduler }))

describe("fairScheduler", () => {
  it.effect("reads sockets between ready fibers", () =>
    Effect.gen(function* () {
      const counter = yield* rounds
      const seen = yield* runFairly(
        Effect.forEach(
          [1, 2, 3, 4],
          () =>
            Effect.gen(function* () {
              yield* Effect.yieldNow
              yield* work
              return counter.passed
            }),
          { concurrency: "unbounded" },
        ),
      )
      assert.strictEqual(new Set(seen).size, seen.length, `rounds in which each ran: ${seen}`)
    }),
  )

  it.effect("resumes fibers in the order in which they became ready, however long one runs", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const worker = (name: string) =>
        Effect.gen(function* () {
          for (const part of [1, 2, 3]) {
            order.push(`${name}${part}`)
            yield* work
            yield* Effect.yieldNow
          }
        })
      yield* runFairly(
        Effect.gen(function* () {
          const fibers = yield* Effect.forEach(["a", "b", "c"], (name) => Effect.forkChild(worker(name)))
          yield* Fiber.joinAll(fibers)
        }),
      )
      assert.deepStrictEqual(order, ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
    }),
  )
})
