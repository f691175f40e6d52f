import { Effect } from "effect"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import type { DownloadSubject } from "./support/download.ts"
import { type Asked, type BusiestSubject, type CopySubject, pathOf, type WorkerSubject } from "./support/exports.ts"
import { openLedger } from "./support/largeLedger.ts"
import type { ProbeSubject } from "./support/probe.ts"
import { inTurns } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import type { StaticTicksSubject } from "./support/ticks.ts"

const rounds = 5
const parallel = 4
const probeEvery = 5

/** Begins a little later each time, so that none is the same as one before. */
const other = (asked: Asked, times: number): Asked => ({ ...asked, from: asked.from + times })

const countIn = (tail: string) => Number(/"count":(\d+)/.exec(tail)?.[1])

/** All trades of the busiest wallet through an API process and a worker, beside what psql makes of the same rows. */
export const exports: Bench = Effect.gen(function* () {
  const { environment } = yield* openLedger("whole")
  const url = environment["DATABASE_URL"] ?? ""
  const { asked, count } = yield* (yield* startSubject<BusiestSubject>("support/busiest.ts")).ask("busiest", url)
  const { api, port, key } = yield* startApi(environment)
  const worker = yield* startSubject<WorkerSubject>("ours/exportWorker.ts", environment)
  yield* worker.ask("work")
  const reader = yield* startSubject<DownloadSubject>("support/download.ts", {}, "200 seconds")
  const rival = yield* startSubject<CopySubject>("rivals/psqlCopy.ts", {}, "200 seconds")
  const rivalName = yield* rival.ask("name")
  let times = 0
  const download = (range: Asked) => ({ port, path: pathOf(range), headers: { "x-api-key": key } })
  const read = (...ranges: ReadonlyArray<Asked>) => reader.ask("read", ranges.map(download))
  const megabytes = yield* api.ask("watch")

  const turns = yield* inTurns(rounds, {
    ours: Effect.suspend(() => read(other(asked, times++))),
    rival: Effect.map(
      Effect.suspend(() => rival.ask("trades", url, asked)),
      ({ millis, bytes }) => [{ whole: millis, first: millis, bytes, tail: "" }],
    ),
    rows: Effect.map(
      Effect.suspend(() => rival.ask("rows", url, asked)),
      ({ millis, bytes }) => [{ whole: millis, first: millis, bytes, tail: "" }],
    ),
  })
  const last = other(asked, times - 1)
  const again = yield* Effect.forEach(Array.from({ length: rounds }), () => read(last))
  const grownByOne = (yield* api.ask("watched")).mostMegabytes - megabytes

  const probe = yield* startSubject<ProbeSubject>("support/probe.ts")
  yield* probe.ask("begin", port, "/healthz", probeEvery)
  const together = yield* read(...Array.from({ length: parallel }, () => other(asked, times++)))
  const health = yield* probe.ask("end")
  const grown = (yield* api.ask("watched")).mostMegabytes - megabytes

  const bytes = turns.ours[0]?.[0]?.bytes ?? 0
  const bare = yield* startSubject<StaticTicksSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.ask("listen", bytes)
  const sent = yield* Effect.forEach(Array.from({ length: rounds }), () =>
    reader.ask("read", [{ port: barePort, path: "/", headers: {} }]),
  )

  const whole = (results: ReadonlyArray<ReadonlyArray<{ readonly whole: number }>>) =>
    results.flatMap((each) => each.map((one) => one.whole))
  const ours = whole(turns.ours)
  const tails = [...turns.ours, ...again, together].flatMap((each) => each.map(({ tail }) => tail))
  const cacheHits = again.filter(([one]) => one?.tail.includes('"cache":"hit"')).length
  return {
    lines: [
      {
        what: `${count.toLocaleString("en")} trades of a wallet`,
        unit: "ms",
        ours: median(ours),
        alternative: { name: rivalName, value: median(whole(turns.rival)) },
        limit: { name: "its rows as they are", value: median(whole(turns.rows)) },
        ratio: { to: "its speed", value: medianRatio(whole(turns.rival), ours) },
        goal: { share: 1.43 },
      },
      {
        what: "  the first bytes",
        unit: "ms",
        ours: median(turns.ours.flatMap((each) => each.map((one) => one.first))),
      },
      {
        what: "  asked for again",
        unit: "ms",
        ours: median(whole(again)),
        limit: { name: "the same bytes at hand", value: median(whole(sent)) },
        ratio: { to: "the first time's speed", value: median(ours) / median(whole(again)) },
        goal: { share: 5 },
      },
      { what: "  memory of the API process grown", unit: "MB", ours: grownByOne, goal: { most: 64 } },
      { what: `  ${parallel} at a time`, unit: "ms", ours: Math.max(...together.map((one) => one.whole)) },
      { what: "  memory grown by them", unit: "MB", ours: grown, goal: { most: 64 } },
      {
        what: `  /healthz meanwhile, p99 of ${health.length}`,
        unit: "ms",
        ours: quantile(health, 0.99),
        goal: { most: 20 },
      },
    ],
    notes: [
      `${(bytes / 1e6).toFixed(1)} MB of JSON each; ${cacheHits} of ${again.length} came from the cache when asked for again`,
      `answers with fewer or more trades than ${count} by more than what a later beginning leaves out: ${tails.filter((tail) => !(Math.abs(countIn(tail) - count) < 1000)).length}`,
      "the reader, the API process, the worker, Postgres and Redis share the two cores; psql needs two processes",
    ],
    rounds: { turns, again, together, health },
  }
})
