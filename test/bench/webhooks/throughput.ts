import { Effect } from "effect"
import type { Line } from "../support/report.ts"
import { inTurns } from "../support/rounds.ts"
import { type Subject, startSubject } from "../support/Subject.ts"
import { median, medianRatio } from "../support/statistics.ts"
import { BenchStores, withStores } from "../support/stores.ts"
import { concurrency, type DeliverySubject, now, type ReceiverSubject } from "../support/webhooks.ts"

const rounds = 4
const count = 2000
/** A process that sends all day long has long been compiled. */
const warmUp = 6000
const endpoints = 20
const within = 60_000

interface Round {
  readonly perSecond: number
  readonly cpuSeconds: number
}

/** Deliveries to endpoints that answer at once: owed in rows and every attempt kept, against a queue that keeps nothing. */
export const throughput = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.ask("listen", endpoints)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", LOG_LEVEL: "error" }
  let faults = 0

  const contestant = Effect.fnUntraced(function* (file: string) {
    const subject = yield* startSubject<DeliverySubject>(file, env)
    yield* subject.ask("aim", urls)
    yield* receiver.ask("begin")
    yield* subject.ask("deliver", warmUp)
    yield* receiver.ask("received", warmUp, within)
    yield* subject.ask("settled")
    return subject
  })
  const round = Effect.fnUntraced(function* (subject: Subject<DeliverySubject>) {
    yield* receiver.ask("begin")
    const before = yield* subject.ask("use")
    const since = now()
    yield* subject.ask("deliver", count)
    const { distinct, twice, unsigned } = yield* receiver.ask("received", count, within)
    yield* subject.ask("settled")
    const seconds = (now() - since) / 1000
    faults += count - distinct + twice + unsigned
    const after = yield* subject.ask("use")
    return { perSecond: count / seconds, cpuSeconds: after.cpuSeconds - before.cpuSeconds } satisfies Round
  })
  const results = yield* inTurns(rounds, {
    ours: round(yield* contestant("ours/webhookOutbox.ts")),
    bare: round(yield* contestant("rivals/bullmqUndici.ts")),
    limit: round(yield* contestant("rivals/undiciAlone.ts")),
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
      what: "  CPU of the process that sends",
      unit: "µs/delivery",
      ours: median(micros(ours)),
      alternative: { name: "BullMQ + undici", value: median(micros(bare)) },
      limit: { name: "undici alone", value: median(micros(limit)) },
    },
  ]
  return { lines, faults, rounds: results }
}).pipe(withStores)
