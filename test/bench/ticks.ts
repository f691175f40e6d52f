import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { readFirstDay, startReader, startTicks } from "./support/coldTicks.ts"
import type { MonitoredSubject } from "./support/monitorSelf.ts"
import { interleave } from "./support/rounds.ts"
import { type Subject, startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import { pathOf, type RivalTicksSubject, randomDay, type StaticBytesSubject } from "./support/ticks.ts"

const rounds = 5
const perRound = 5
const coldStarts = 3
const parallel = 64

const paths = (count: number) => Array.from({ length: count }, () => pathOf(randomDay()))

/** A random 24 hours of ticks of one source: from memory, after a restart, and 64 concurrently. */
export const ticks: Bench = Effect.gen(function* () {
  const { databaseUrl } = yield* BenchStores
  const reader = yield* startReader
  const { ours, port, key } = yield* startTicks
  yield* ours.call("fill")
  const [one] = yield* reader.call("read", { port, key, paths: paths(1) })
  const bytes = one?.bytes ?? 0

  const cold = yield* Effect.forEach(Array.from({ length: coldStarts }), () => readFirstDay(reader))

  const rival = yield* startSubject<RivalTicksSubject>("rivals/postgresJs.ts")
  const rivalPort = yield* rival.call("listen", databaseUrl)
  const bare = yield* startSubject<StaticBytesSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.call("listen", bytes)
  const read = (at: number) => Effect.suspend(() => reader.call("read", { port: at, key, paths: paths(perRound) }))
  const results = yield* interleave(rounds, { ours: read(port), rival: read(rivalPort), bare: read(barePort) })

  const readConcurrently = (at: number, server: Pick<Subject<MonitoredSubject>, "call">) =>
    Effect.gen(function* () {
      const before = yield* server.call("startMonitor")
      yield* reader.call("read", { port: at, key, paths: paths(parallel), parallel: true })
      const { peakMegabytes, longestDelay } = yield* server.call("peaks")
      return { grown: peakMegabytes - before, longestDelay }
    })
  const concurrent = { ours: yield* readConcurrently(port, ours), bare: yield* readConcurrently(barePort, bare) }

  const whole = (name: keyof typeof results) => results[name].map((each) => median(each.map((one) => one.whole)))
  const firsts = (name: keyof typeof results) => results[name].flatMap((each) => each.map(({ first }) => first))
  const faster = (name: "rival" | "bare") => medianRatio(whole(name), whole("ours"))
  const figures = {
    alternative: { name: "Fastify + postgres.js", value: median(whole("rival")) },
    limit: { name: "same bytes from memory", value: median(whole("bare")) },
  }
  return {
    lines: [
      {
        what: "a day of ticks, warm",
        unit: "ms",
        ours: median(whole("ours")),
        ...figures,
        ratio: { to: "its speed", value: faster("rival") },
        goal: { share: 8 },
      },
      {
        what: "  compared to same bytes from memory",
        unit: "ms",
        ours: median(whole("ours")),
        limit: figures.limit,
        ratio: { to: "their speed", value: faster("bare") },
        goal: { share: 0.25 },
      },
      {
        what: "  first byte, p50",
        unit: "ms",
        ours: quantile(firsts("ours"), 0.5),
        alternative: { name: "Fastify + postgres.js", value: quantile(firsts("rival"), 0.5) },
        limit: { name: "same bytes from memory", value: quantile(firsts("bare"), 0.5) },
      },
      {
        what: "  after a restart",
        unit: "ms",
        ours: median(cold.map((each) => each.whole)),
        alternative: figures.alternative,
      },
      {
        what: `  memory growth, ${parallel} concurrent requests`,
        unit: "MB",
        ours: concurrent.ours.grown,
        goal: { most: 200 },
      },
      {
        what: `  longest event-loop delay, ${parallel} concurrent requests`,
        unit: "ms",
        ours: concurrent.ours.longestDelay,
        limit: { name: "same bytes from memory", value: concurrent.bare.longestDelay },
      },
      {
        what: "  longest event-loop delay, after a restart",
        unit: "ms",
        ours: median(cold.map((each) => each.longestDelay)),
      },
    ],
    notes: [
      `${(bytes / 1e6).toFixed(1)} MB each, random ranges of 24 h, with key and limits`,
      "one request at a time, each on its own connection; the reader shares the two cores",
    ],
    rounds: { ...results, cold, concurrent },
  }
}).pipe(withStores)
