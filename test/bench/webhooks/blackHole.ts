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

/** The others' deliveries while one endpoint takes requests and never answers, and while all answer. */
export const blackHole = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.ask("listen", endpoints)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", LOG_LEVEL: "error" }
  const outbox = yield* startSubject<OutboxSubject>("ours/webhookOutbox.ts", env)
  yield* outbox.ask("aim", urls)

  const p99 = Effect.fnUntraced(function* (silent: ReadonlyArray<number>) {
    yield* receiver.ask("swallow", silent)
    yield* receiver.ask("begin")
    const told = yield* outbox.ask("trickle", perSecond, seconds)
    yield* Effect.sleep("500 millis")
    const others = (yield* receiver.ask("arrivals")).filter(({ endpoint }) => endpoint !== hole)
    const waiting = yield* receiver.ask("mostWaiting")
    return { p99: quantile(latenessOf(told, others), 0.99), waiting, count: others.length }
  })
  yield* p99([])
  const calm: Array<Effect.Success<ReturnType<typeof p99>>> = []
  const beside: Array<Effect.Success<ReturnType<typeof p99>>> = []
  for (let round = 0; round < rounds; round++) {
    calm.push(yield* p99([]))
    beside.push(yield* p99([hole]))
  }
  const of = (all: typeof calm) => all.map((each) => each.p99)
  const mostWaiting = Math.max(...beside.map(({ waiting }) => waiting))
  const lines: ReadonlyArray<Line> = [
    {
      what: `owed → received, 1 black hole among ${endpoints} endpoints, p99 of the others`,
      unit: "ms",
      ours: median(of(beside)),
      alternative: { name: "all answer", value: median(of(calm)) },
      goal: { most: median(of(calm)) * 1.1 },
    },
    { what: "  requests that waited for the black hole at a time", unit: "requests", ours: mostWaiting },
  ]
  return { lines, rounds: { calm, beside } }
}).pipe(withStores)
