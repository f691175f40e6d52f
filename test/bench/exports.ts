import { Effect } from "effect"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import type { DownloadSubject } from "./support/download.ts"
import {
  type BusiestSubject,
  type CopySubject,
  pathOf,
  type TradesQuery,
  type WorkerSubject,
} from "./support/exports.ts"
import { openLedger } from "./support/largeLedger.ts"
import type { ProbeSubject } from "./support/probe.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import type { StaticBytesSubject } from "./support/ticks.ts"

const rounds = 5
const parallel = 4
const probeEvery = 5

/** Starts a little later each time, so that no two requests are equal. */
const laterQuery = (query: TradesQuery, times: number): TradesQuery => ({ ...query, from: query.from + times })

const countIn = (tail: string) => Number(/"count":(\d+)/.exec(tail)?.[1])

/** All trades of the busiest wallet through an API process and a worker, compared to psql with the same rows. */
export const exports: Bench = Effect.gen(function* () {
  const { environment } = yield* openLedger("whole")
  const url = environment["DATABASE_URL"] ?? ""
  const { query, count } = yield* (yield* startSubject<BusiestSubject>("support/busiest.ts")).call("busiest", url)
  const { api, port, key } = yield* startApi(environment)
  const worker = yield* startSubject<WorkerSubject>("ours/exportWorker.ts", environment)
  yield* worker.call("work")
  const reader = yield* startSubject<DownloadSubject>("support/download.ts", {}, "200 seconds")
  const rival = yield* startSubject<CopySubject>("rivals/psqlCopy.ts", {}, "200 seconds")
  const rivalName = yield* rival.call("name")
  let times = 0
  const download = (range: TradesQuery) => ({ port, path: pathOf(range), headers: { "x-api-key": key } })
  const read = (...ranges: ReadonlyArray<TradesQuery>) => reader.call("read", ranges.map(download))
  const before = yield* api.call("startMonitor")

  const results = yield* interleave(rounds, {
    ours: Effect.suspend(() => read(laterQuery(query, times++))),
    rival: Effect.map(
      Effect.suspend(() => rival.call("trades", url, query)),
      ({ millis, bytes }) => [{ whole: millis, first: millis, bytes, tail: "" }],
    ),
    rows: Effect.map(
      Effect.suspend(() => rival.call("rows", url, query)),
      ({ millis, bytes }) => [{ whole: millis, first: millis, bytes, tail: "" }],
    ),
  })
  const last = laterQuery(query, times - 1)
  const again = yield* Effect.forEach(Array.from({ length: rounds }), () => read(last))
  const grownByOne = (yield* api.call("peaks")).peakMegabytes - before

  const probe = yield* startSubject<ProbeSubject>("support/probe.ts")
  yield* probe.call("start", port, "/healthz", probeEvery)
  const concurrent = yield* read(...Array.from({ length: parallel }, () => laterQuery(query, times++)))
  const health = yield* probe.call("stop")
  const grown = (yield* api.call("peaks")).peakMegabytes - before

  const bytes = results.ours[0]?.[0]?.bytes ?? 0
  const bare = yield* startSubject<StaticBytesSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.call("listen", bytes)
  const sent = yield* Effect.forEach(Array.from({ length: rounds }), () =>
    reader.call("read", [{ port: barePort, path: "/", headers: {} }]),
  )

  const whole = (all: ReadonlyArray<ReadonlyArray<{ readonly whole: number }>>) =>
    all.flatMap((each) => each.map((one) => one.whole))
  const ours = whole(results.ours)
  const tails = [...results.ours, ...again, concurrent].flatMap((each) => each.map(({ tail }) => tail))
  const cacheHits = again.filter(([one]) => one?.tail.includes('"cache":"hit"')).length
  return {
    lines: [
      {
        what: `${count.toLocaleString("en")} trades of a wallet`,
        unit: "ms",
        ours: median(ours),
        alternative: { name: rivalName, value: median(whole(results.rival)) },
        limit: { name: "its raw rows", value: median(whole(results.rows)) },
        ratio: { to: "its speed", value: medianRatio(whole(results.rival), ours) },
        goal: { share: 1.43 },
      },
      {
        what: "  first bytes",
        unit: "ms",
        ours: median(results.ours.flatMap((each) => each.map((one) => one.first))),
      },
      {
        what: "  requested again",
        unit: "ms",
        ours: median(whole(again)),
        limit: { name: "same bytes from memory", value: median(whole(sent)) },
        ratio: { to: "the first request's speed", value: median(ours) / median(whole(again)) },
        goal: { share: 5 },
      },
      { what: "  memory growth of the API process", unit: "MB", ours: grownByOne, goal: { most: 64 } },
      { what: `  ${parallel} concurrent requests`, unit: "ms", ours: Math.max(...concurrent.map((one) => one.whole)) },
      { what: "  memory growth", unit: "MB", ours: grown, goal: { most: 64 } },
      {
        what: `  /healthz during these, p99 of ${health.length}`,
        unit: "ms",
        ours: quantile(health, 0.99),
        goal: { most: 20 },
      },
    ],
    notes: [
      `${(bytes / 1e6).toFixed(1)} MB of JSON each; ${cacheHits} of ${again.length} repeated requests were served from the cache`,
      `responses whose number of trades differs from ${count} by 1000 or more: ${tails.filter((tail) => !(Math.abs(countIn(tail) - count) < 1000)).length}`,
      "the reader, the API process, the worker, Postgres and Redis share the two cores; psql needs two processes",
    ],
    rounds: { results, again, concurrent, health },
  }
})
