import { Effect } from "effect"
import { startApi } from "../support/api.ts"
import type { BoardsSubject, PagesSubject } from "../support/boards.ts"
import { openLedger } from "../support/largeLedger.ts"
import type { PageLoadSubject } from "../support/pageLoad.ts"
import type { Line } from "../support/report.ts"
import { interleave } from "../support/rounds.ts"
import { startSubject } from "../support/Subject.ts"
import { median } from "../support/statistics.ts"
import type { StaticBytesSubject } from "../support/ticks.ts"

const rounds = 3
/** Not counted: V8 keeps compiling hot code for a few thousand pages. */
const warmingUp = 4
const connections = 4
const periods = ["1d", "7d", "30d"] as const
const sorts = ["total", "realized", "volume", "wins"] as const
/** Requested boards: the overall one and those of the largest scopes. */
const requestedScopes = 40
const blocksEach = 6

type Scopes = ReadonlyArray<{ readonly kind: "category" | "tag"; readonly value: string }>

const scopeText = ({ kind, value }: Scopes[number]) =>
  `${kind === "category" ? "category" : "tags"}=${encodeURIComponent(value)}`

const boardPaths = (scopes: Scopes): ReadonlyArray<string> =>
  ["", ...scopes.slice(0, requestedScopes).map(scopeText)].flatMap((scope) => [
    ...periods.flatMap((period) =>
      [0, 100, 500].map((offset) => `/v3/leaderboard?period=${period}&offset=${offset}&${scope}`),
    ),
    ...sorts.flatMap((sort) => [0, 300].map((offset) => `/v3/leaderboard?sort=${sort}&offset=${offset}&${scope}`)),
  ])

const scopePaths = (scopes: Scopes): ReadonlyArray<string> =>
  periods.flatMap((period) => [
    ...[0, 10, 20, 50].map((offset) => `/v3/leaderboard/scopes?period=${period}&scope=tag&offset=${offset}`),
    ...[1, 10, 200].map((limit) => `/v3/leaderboard/scopes?period=${period}&scope=category&limit=${limit}`),
    ...scopes
      .slice(0, requestedScopes)
      .map(
        ({ kind, value }) =>
          `/v3/leaderboard/scopes?period=${period}&scope=${kind}&q=${encodeURIComponent(value.slice(0, 3))}`,
      ),
  ])

/** Pages of boards and scopes from a warm API process, also while the boards are refreshed. */
export const pages = Effect.gen(function* () {
  const { environment } = yield* openLedger("whole")
  const boards = yield* startSubject<BoardsSubject>("ours/boards.ts", environment, "300 seconds")
  yield* boards.call("restore")
  yield* boards.call("rebuild")
  const scopes = yield* boards.call("scopes")
  const { port, key, api } = yield* startApi(environment)
  const before = yield* api.call("startMonitor")
  const load = yield* startSubject<PageLoadSubject>("support/pageLoad.ts", {}, "300 seconds")
  const headers = { "x-api-key": key }
  const run = (at: number, paths: ReadonlyArray<string>) =>
    Effect.suspend(() => load.call("run", { port: at, paths, headers, connections }))

  const rival = yield* startSubject<PagesSubject>("rivals/boardPages.ts")
  const rivalPort = yield* rival.call("listen", environment["DATABASE_URL"] ?? "")
  const paths = boardPaths(scopes)
  const first = yield* run(port, paths)
  const bare = yield* startSubject<StaticBytesSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.call("listen", Math.round(first.bytes))
  const candidates = {
    ours: run(port, paths),
    rival: run(rivalPort, paths),
    bare: run(barePort, paths),
    scopes: run(port, scopePaths(scopes)),
  }
  yield* interleave(warmingUp, candidates)
  const results = yield* interleave(rounds, candidates)
  yield* boards.call("startAdvancing", blocksEach)
  const moving = yield* Effect.all([run(port, paths), run(port, paths)])
  const refreshes = yield* boards.call("stop")
  yield* boards.call("restore")
  const { peakMegabytes } = yield* api.call("peaks")

  const medianOf = (name: keyof typeof results, pick: "p50" | "p99") => median(results[name].map((each) => each[pick]))
  const figures = (pick: "p50" | "p99") => ({
    alternative: { name: "Fastify + postgres.js", value: medianOf("rival", pick) },
    limit: { name: "same bytes from memory", value: medianOf("bare", pick) },
  })
  const lines: ReadonlyArray<Line> = [
    { what: `board page, p50 of ${paths.length}`, unit: "ms", ours: medianOf("ours", "p50"), ...figures("p50") },
    { what: "  p99", unit: "ms", ours: medianOf("ours", "p99"), ...figures("p99"), goal: { most: 10 } },
    {
      what: `  p99 during ${refreshes} refreshes`,
      unit: "ms",
      ours: median(moving.map(({ p99 }) => p99)),
    },
    { what: "  p99 of first requests", unit: "ms", ours: first.p99 },
    {
      what: `scope page, p99 of ${scopePaths(scopes).length}`,
      unit: "ms",
      ours: medianOf("scopes", "p99"),
      goal: { most: 10 },
    },
    { what: "  memory growth over all pages", unit: "MB", ours: peakMegabytes - before },
  ]
  const notes = [`${connections} connections, ${Math.round(first.bytes / 1000)} KB per page, pages in random order`]
  return { lines, notes, rounds: { first, results, moving } }
}).pipe(Effect.scoped)
