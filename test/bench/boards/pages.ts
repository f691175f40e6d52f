import { Effect } from "effect"
import { startApi } from "../support/api.ts"
import type { BoardsSubject, PagesSubject } from "../support/boards.ts"
import { openLedger } from "../support/largeLedger.ts"
import type { PageLoadSubject } from "../support/pageLoad.ts"
import type { Line } from "../support/report.ts"
import { inTurns } from "../support/rounds.ts"
import { startSubject } from "../support/Subject.ts"
import { median } from "../support/statistics.ts"
import type { StaticTicksSubject } from "../support/ticks.ts"

const rounds = 3
/** Not counted: V8 goes on compiling what it runs for some thousand pages. */
const warmingUp = 4
const connections = 4
const periods = ["1d", "7d", "30d"] as const
const sorts = ["total", "realized", "volume", "wins"] as const
/** Boards that somebody looks at: the largest scopes, and everything. */
const watchedScopes = 40
const blocksEach = 6

type Scopes = ReadonlyArray<{ readonly kind: "category" | "tag"; readonly value: string }>

const scopeText = ({ kind, value }: Scopes[number]) =>
  `${kind === "category" ? "category" : "tags"}=${encodeURIComponent(value)}`

const boardPaths = (scopes: Scopes): ReadonlyArray<string> =>
  ["", ...scopes.slice(0, watchedScopes).map(scopeText)].flatMap((scope) => [
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
      .slice(0, watchedScopes)
      .map(
        ({ kind, value }) =>
          `/v3/leaderboard/scopes?period=${period}&scope=${kind}&q=${encodeURIComponent(value.slice(0, 3))}`,
      ),
  ])

/** Pages of boards and of scopes from an API process that has seen them before, and while the boards move on. */
export const pages = Effect.gen(function* () {
  const { environment } = yield* openLedger("whole")
  const boards = yield* startSubject<BoardsSubject>("ours/boards.ts", environment, "300 seconds")
  yield* boards.ask("restore")
  yield* boards.ask("rebuild")
  const scopes = yield* boards.ask("scopes")
  const { port, key, api } = yield* startApi(environment)
  const before = yield* api.ask("watch")
  const load = yield* startSubject<PageLoadSubject>("support/pageLoad.ts", {}, "300 seconds")
  const headers = { "x-api-key": key }
  const fire = (at: number, paths: ReadonlyArray<string>) =>
    Effect.suspend(() => load.ask("fire", { port: at, paths, headers, connections }))

  const rival = yield* startSubject<PagesSubject>("rivals/boardPages.ts")
  const rivalPort = yield* rival.ask("listen", environment["DATABASE_URL"] ?? "")
  const shown = boardPaths(scopes)
  const first = yield* fire(port, shown)
  const bare = yield* startSubject<StaticTicksSubject>("rivals/staticBytes.ts")
  const barePort = yield* bare.ask("listen", Math.round(first.bytes))
  const contest = {
    ours: fire(port, shown),
    rival: fire(rivalPort, shown),
    bare: fire(barePort, shown),
    scopes: fire(port, scopePaths(scopes)),
  }
  yield* inTurns(warmingUp, contest)
  const results = yield* inTurns(rounds, contest)
  yield* boards.ask("goOn", blocksEach)
  const moving = yield* Effect.all([fire(port, shown), fire(port, shown)])
  const times = yield* boards.ask("stop")
  yield* boards.ask("restore")
  const { mostMegabytes } = yield* api.ask("watched")

  const over = (name: keyof typeof results, pick: "p50" | "p99") => median(results[name].map((each) => each[pick]))
  const figures = (pick: "p50" | "p99") => ({
    alternative: { name: "Fastify + postgres.js", value: over("rival", pick) },
    limit: { name: "the same bytes at hand", value: over("bare", pick) },
  })
  const lines: ReadonlyArray<Line> = [
    { what: `a page of a board, p50 of ${shown.length}`, unit: "ms", ours: over("ours", "p50"), ...figures("p50") },
    { what: "  p99", unit: "ms", ours: over("ours", "p99"), ...figures("p99"), goal: { most: 10 } },
    {
      what: `  p99 while they are refreshed ${times} times`,
      unit: "ms",
      ours: median(moving.map(({ p99 }) => p99)),
    },
    { what: "  p99 the first time", unit: "ms", ours: first.p99 },
    {
      what: `a page of scopes, p99 of ${scopePaths(scopes).length}`,
      unit: "ms",
      ours: over("scopes", "p99"),
      goal: { most: 10 },
    },
    { what: "  memory grown by all pages", unit: "MB", ours: mostMegabytes - before },
  ]
  const notes = [`${connections} connections, ${Math.round(first.bytes / 1000)} KB a page, pages in any order`]
  return { lines, notes, rounds: { first, results, moving } }
}).pipe(Effect.scoped)
