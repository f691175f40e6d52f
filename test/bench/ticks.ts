import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { ReadTicksSubject } from "./support/readTicks.ts"
import { inTurns } from "./support/rounds.ts"
import { type Subject, startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import {
  pathOf,
  type RivalTicksSubject,
  type StaticTicksSubject,
  somewhere,
  type TicksSubject,
} from "./support/ticks.ts"
import type { WatchedSubject } from "./support/watchSelf.ts"

const rounds = 5
const perRound = 5
const coldStarts = 3
const parallel = 64

const paths = (count: number) => Array.from({ length: count }, () => pathOf(somewhere()))

const startOurs = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const ours = yield* startSubject<TicksSubject>("ours/ticks.ts", { ...environment, HOST: "127.0.0.1", PORT: "0" })
  return { ours, ...(yield* ours.ask("listen")) }
})

/** A day of ticks of one source, which begins anywhere: from memory, after a restart, and sixty-four at a time. */
export const ticks: Bench = Effect.gen(function* () {
  const { databaseUrl } = yield* BenchStores
  const reader = yield* startSubject<ReadTicksSubject>("support/readTicks.ts")
  const { ours, port, key } = yield* startOurs
  yield* ours.ask("fill")
  const [one] = yield* reader.ask("read", { port, key, paths: paths(1) })
  const bytes = one?.bytes ?? 0

  const cold = yield* Effect.forEach(Array.from({ length: coldStarts }), () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fresh = yield* startOurs
        yield* fresh.ours.ask("watch")
        const [first] = yield* reader.ask("read", { port: fresh.port, key: fresh.key, paths: paths(1) })
        return { whole: first?.whole ?? Number.NaN, ...(yield* fresh.ours.ask("watched")) }
      }),
    ),
  )

  const rival = yield* startSubject<RivalTicksSubject>("rivals/postgresJs.ts")
  const rivalPort = yield* rival.ask("listen", databaseUrl)
  const bare = yield* startSubject<StaticTicksSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.ask("listen", bytes)
  const read = (at: number) => Effect.suspend(() => reader.ask("read", { port: at, key, paths: paths(perRound) }))
  const results = yield* inTurns(rounds, { ours: read(port), rival: read(rivalPort), bare: read(barePort) })

  const manyFrom = (at: number, server: Pick<Subject<WatchedSubject>, "ask">) =>
    Effect.gen(function* () {
      const before = yield* server.ask("watch")
      yield* reader.ask("read", { port: at, key, paths: paths(parallel), parallel: true })
      const { mostMegabytes, longestBlock } = yield* server.ask("watched")
      return { grown: mostMegabytes - before, longestBlock }
    })
  const many = { ours: yield* manyFrom(port, ours), bare: yield* manyFrom(barePort, bare) }

  const whole = (name: keyof typeof results) => results[name].map((each) => median(each.map((one) => one.whole)))
  const firsts = (name: keyof typeof results) => results[name].flatMap((each) => each.map(({ first }) => first))
  const faster = (name: "rival" | "bare") => medianRatio(whole(name), whole("ours"))
  const figures = {
    alternative: { name: "Fastify + postgres.js", value: median(whole("rival")) },
    limit: { name: "the same bytes at hand", value: median(whole("bare")) },
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
        what: "  beside the same bytes at hand",
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
        limit: { name: "the same bytes at hand", value: quantile(firsts("bare"), 0.5) },
      },
      {
        what: "  after a restart",
        unit: "ms",
        ours: median(cold.map((each) => each.whole)),
        alternative: figures.alternative,
      },
      { what: `  memory grown by ${parallel} at a time`, unit: "MB", ours: many.ours.grown, goal: { most: 200 } },
      {
        what: `  others kept waiting, ${parallel} at a time`,
        unit: "ms at most",
        ours: many.ours.longestBlock,
        limit: { name: "the same bytes at hand", value: many.bare.longestBlock },
      },
      {
        what: "  others kept waiting, after a restart",
        unit: "ms at most",
        ours: median(cold.map((each) => each.longestBlock)),
      },
    ],
    notes: [
      `${(bytes / 1e6).toFixed(1)} MB each, random ranges of 24 h that begin at any millisecond, with key and limits`,
      "one request at a time on a connection of its own; the reader shares the two cores",
    ],
    rounds: { ...results, cold, many },
  }
}).pipe(withStores)
