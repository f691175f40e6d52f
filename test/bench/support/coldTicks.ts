import { Effect } from "effect"
import type { ReadTicksSubject } from "./readTicks.ts"
import type { Line } from "./report.ts"
import { startSubject } from "./Subject.ts"
import { median, medianRatio } from "./statistics.ts"
import { BenchStores, withStores } from "./stores.ts"
import {
  firstMoment,
  pathOf,
  type RivalTicksSubject,
  randomDay,
  type StaticBytesSubject,
  type TicksSubject,
} from "./ticks.ts"

const coldStarts = 5
/** A range without ticks: compiles the code, and leaves the ticks cold. */
const nothing = pathOf({ from: firstMoment - 60_000, to: firstMoment - 1_000 })

/** An API process that has not read any ticks yet. */
export const startTicks = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const ours = yield* startSubject<TicksSubject>("ours/ticks.ts", { ...environment, HOST: "127.0.0.1", PORT: "0" })
  return { ours, ...(yield* ours.call("listen")) }
})

/** The first day of ticks that a new process sends. */
export const readFirstDay = (reader: Effect.Success<typeof startReader>) =>
  Effect.gen(function* () {
    const { ours, port, key } = yield* startTicks
    yield* ours.call("startMonitor")
    const [, day] = yield* reader.call("read", { port, key, paths: [nothing, pathOf(randomDay())] })
    return { first: day?.first ?? Number.NaN, whole: day?.whole ?? Number.NaN, ...(yield* ours.call("peaks")) }
  }).pipe(Effect.scoped)

export const startReader = startSubject<ReadTicksSubject>("support/readTicks.ts")

/** A day of ticks from processes that have just started, beside the same from a plain server. */
export const coldTicks = Effect.gen(function* () {
  const { databaseUrl } = yield* BenchStores
  const { ours, port, key } = yield* startTicks
  yield* ours.call("fill")
  const reader = yield* startReader
  const [one] = yield* reader.call("read", { port, key, paths: [pathOf(randomDay())] })
  const bare = yield* startSubject<StaticBytesSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.call("listen", one?.bytes ?? 0)
  const rivalDay = Effect.gen(function* () {
    const rival = yield* startSubject<RivalTicksSubject>("rivals/postgresJs.ts")
    const [, day] = yield* reader.call("read", {
      port: yield* rival.call("listen", databaseUrl),
      paths: [nothing, pathOf(randomDay())],
    })
    return { first: day?.first ?? Number.NaN, whole: day?.whole ?? Number.NaN }
  }).pipe(Effect.scoped)
  const rounds = yield* Effect.forEach(Array.from({ length: coldStarts }), () =>
    Effect.all({
      ours: readFirstDay(reader),
      rival: rivalDay,
      bare: Effect.map(reader.call("read", { port: barePort, paths: ["/"] }), ([day]) => ({
        first: day?.first ?? Number.NaN,
        whole: day?.whole ?? Number.NaN,
      })),
    }),
  )
  const values = (name: "ours" | "rival" | "bare", pick: "first" | "whole") => rounds.map((round) => round[name][pick])
  const lines = (["first", "whole"] as const).map(
    (pick): Line => ({
      what: pick === "first" ? "a day of ticks after a start, first byte" : "  last byte",
      unit: "ms",
      ours: median(values("ours", pick)),
      alternative: { name: "Fastify + postgres.js", value: median(values("rival", pick)) },
      limit: { name: "same bytes from memory", value: median(values("bare", pick)) },
      ratio: { to: "its time", value: medianRatio(values("ours", pick), values("rival", pick)) },
      ...(pick === "first" ? { goal: { most: 50 } } : {}),
    }),
  )
  const notes = [
    `a day of ticks is ${((one?.bytes ?? 0) / 1e6).toFixed(1)} MB; every reading is the first of a new process, after a request without ticks`,
  ]
  return { lines, notes, rounds }
}).pipe(withStores)
