import { Effect } from "effect"
import type { Line } from "../support/report.ts"
import { startSubject } from "../support/Subject.ts"
import { median, quantile } from "../support/statistics.ts"
import { BenchStores, withStores } from "../support/stores.ts"
import type { OutboxSubject, ReceiverSubject } from "../support/webhooks.ts"
import { latenessOf } from "./lateness.ts"

const rounds = 3
const endpoints = 100
const perSecond = 300
const seconds = 6
const hole = 0

/** Deliveries to the other endpoints while one endpoint never responds, compared to when all respond. */
export const blackHole = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.call("listen", endpoints)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", LOG_LEVEL: "error" }
  const outbox = yield* startSubject<OutboxSubject>("ours/webhookOutbox.ts", env)
  yield* outbox.call("setTargets", urls)

  const p99 = Effect.fnUntraced(function* (silent: ReadonlyArray<number>) {
    yield* receiver.call("silence", silent)
    yield* receiver.call("reset")
    const committed = yield* outbox.call("trickle", perSecond, seconds)
    yield* Effect.sleep("500 millis")
    const others = (yield* receiver.call("arrivals")).filter(({ endpoint }) => endpoint !== hole)
    const waiting = yield* receiver.call("maxWaiting")
    return { p99: quantile(latenessOf(committed, others), 0.99), waiting, count: others.length }
  })
  yield* p99([])
  const allResponding: Array<Effect.Success<ReturnType<typeof p99>>> = []
  const withBlackHole: Array<Effect.Success<ReturnType<typeof p99>>> = []
  for (let round = 0; round < rounds; round++) {
    allResponding.push(yield* p99([]))
    withBlackHole.push(yield* p99([hole]))
  }
  const of = (all: typeof allResponding) => all.map((each) => each.p99)
  const maxWaiting = Math.max(...withBlackHole.map(({ waiting }) => waiting))
  const lines: ReadonlyArray<Line> = [
    {
      what: `row written → received, 1 black hole among ${endpoints} endpoints, p99 of the others`,
      unit: "ms",
      ours: median(of(withBlackHole)),
      alternative: { name: "all respond", value: median(of(allResponding)) },
      goal: { most: median(of(allResponding)) * 1.1 },
    },
    { what: "  concurrent requests waiting for the black hole", unit: "requests", ours: maxWaiting },
  ]
  return { lines, rounds: { allResponding, withBlackHole } }
}).pipe(withStores)
