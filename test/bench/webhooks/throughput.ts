import { Effect } from "effect"
import type { Line } from "../support/report.ts"
import { interleave } from "../support/rounds.ts"
import { type Subject, startSubject } from "../support/Subject.ts"
import { median, medianRatio } from "../support/statistics.ts"
import { BenchStores, withStores } from "../support/stores.ts"
import { concurrency, type DeliverySubject, now, type ReceiverSubject } from "../support/webhooks.ts"

const rounds = 4
const count = 2000
/** A long-running process has compiled its hot code. */
const warmUp = 6000
const endpoints = 20
const within = 60_000

interface Round {
  readonly perSecond: number
  readonly cpuSeconds: number
}

/** Deliveries to endpoints that respond immediately: with stored rows and attempts, compared to a queue without storage. */
export const throughput = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.call("listen", endpoints)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", LOG_LEVEL: "error" }
  let faults = 0

  const candidate = Effect.fnUntraced(function* (file: string) {
    const subject = yield* startSubject<DeliverySubject>(file, env)
    yield* subject.call("setTargets", urls)
    yield* receiver.call("reset")
    yield* subject.call("deliver", warmUp)
    yield* receiver.call("received", warmUp, within)
    yield* subject.call("drained")
    return subject
  })
  const round = Effect.fnUntraced(function* (subject: Subject<DeliverySubject>) {
    yield* receiver.call("reset")
    const before = yield* subject.call("usage")
    const since = now()
    yield* subject.call("deliver", count)
    const { distinct, duplicates, unsigned } = yield* receiver.call("received", count, within)
    yield* subject.call("drained")
    const seconds = (now() - since) / 1000
    faults += count - distinct + duplicates + unsigned
    const after = yield* subject.call("usage")
    return { perSecond: count / seconds, cpuSeconds: after.cpuSeconds - before.cpuSeconds } satisfies Round
  })
  const results = yield* interleave(rounds, {
    ours: round(yield* candidate("ours/webhookOutbox.ts")),
    bare: round(yield* candidate("rivals/bullmqUndici.ts")),
    limit: round(yield* candidate("rivals/undiciAlone.ts")),
  })

  const rates = (of: ReadonlyArray<Round>) => of.map(({ perSecond }) => perSecond)
  const micros = (of: ReadonlyArray<Round>) => of.map(({ cpuSeconds }) => (cpuSeconds * 1e6) / count)
  const [ours, bare, limit] = [results.ours, results.bare, results.limit]
  const lines: ReadonlyArray<Line> = [
    {
      what: `deliveries to ${endpoints} endpoints, concurrency ${concurrency}`,
      unit: "deliveries/s",
      ours: median(rates(ours)),
      alternative: { name: "BullMQ + undici", value: median(rates(bare)) },
      limit: { name: "undici alone", value: median(rates(limit)) },
      ratio: { to: "BullMQ + undici", value: medianRatio(rates(ours), rates(bare)) },
      goal: { share: 0.5 },
    },
    {
      what: "  CPU of the sending process",
      unit: "µs/delivery",
      ours: median(micros(ours)),
      alternative: { name: "BullMQ + undici", value: median(micros(bare)) },
      limit: { name: "undici alone", value: median(micros(limit)) },
    },
  ]
  return { lines, faults, rounds: results }
}).pipe(withStores)
