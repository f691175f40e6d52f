import { Effect } from "effect"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import { ensureLedgers, openLedger } from "./support/largeLedger.ts"
import type { PageLoadResult } from "./support/pageLoad.ts"
import { run, type Target, times, unlimited, withParameter } from "./support/pages.ts"
import type { Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import type { RollupsSubject, V3Choice, V3ChoiceSubject, V3RivalSubject } from "./support/v3.ts"
import { firstPage, type Request, requests } from "./v3/lists.ts"

const samples = 200
/** The plain queries take long; the rival gets fewer requests. */
const rivalSamples = 8
const deepGoal = 40
/** Pages of 300 rows that are read before the deep one. */
const depth = 60
const clients = 64
const mixed = 4_000
const memoryGoal = 64
const batchGoal = 100

/** The path of a page far behind the first, by cursor; undefined if the list ends before. */
const deepPath = async ({ port, key }: Target, path: string): Promise<string | undefined> => {
  const long = withParameter(path, "limit=300")
  let next = long
  for (let page = 0; page < depth; page++) {
    const response = await fetch(`http://127.0.0.1:${port}${next}`, { headers: { "x-api-key": key } })
    const { next_cursor: cursor } = (await response.json()) as { readonly next_cursor: string | null }
    if (cursor === null) return page === 0 ? undefined : next
    next = withParameter(long, `cursor=${cursor}`)
  }
  return next.replace("limit=300&", "")
}

interface Measured {
  readonly request: Request
  readonly first: PageLoadResult
  readonly deep: PageLoadResult | undefined
  readonly rival: PageLoadResult | undefined
}

const measure = Effect.fnUntraced(function* (ours: Target, rival: Target, choice: V3Choice, request: Request) {
  const paths = request.paths(choice)
  yield* run(ours, times(40, paths))
  const first = yield* run(ours, times(samples, paths))
  const found = request.hasPages
    ? yield* Effect.forEach(paths, (path) => Effect.promise(() => deepPath(ours, path)))
    : []
  const deepPaths = found.filter((path) => path !== undefined)
  const deep = deepPaths.length === 0 ? undefined : yield* run(ours, times(samples, deepPaths))
  const theirs = request.hasRival ? yield* run(rival, times(rivalSamples, paths)) : undefined
  return { request, first, deep, rival: theirs } satisfies Measured
})

const linesOf = ({ request: { name, most }, first, deep, rival }: Measured): ReadonlyArray<Line> => [
  {
    what: `${name}, p99`,
    unit: "ms",
    ours: first.p99,
    ...(rival && {
      alternative: { name: "plain queries", value: rival.p99 },
      ratio: { to: "their time", value: first.p99 / rival.p99 },
    }),
    goal: { most },
  },
  ...(deep === undefined
    ? []
    : [{ what: "    far behind, by cursor, p99", unit: "ms", ours: deep.p99, goal: { most: deepGoal } }]),
]

/** Lists, P&L and totals of V3 at the busiest wallets, tokens and events, one at a time and by many clients at once. */
export const v3: Bench = Effect.gen(function* () {
  yield* ensureLedgers(["whole"])
  const { environment, scale } = yield* openLedger("whole")
  const databaseUrl = environment["DATABASE_URL"] ?? ""
  const { api, port, key } = yield* startApi({ ...environment, ...unlimited })
  const ours = { port, key }
  const rollups = yield* startSubject<RollupsSubject>(
    "ours/rollups.ts",
    { ...environment, ...unlimited },
    "600 seconds",
  )
  const countingSeconds = yield* rollups.call("prepare")
  const chooser = yield* startSubject<V3ChoiceSubject>("support/v3Choice.ts", {}, "600 seconds")
  const choice = yield* chooser.call("choose", databaseUrl)
  const plain = yield* startSubject<V3RivalSubject>("rivals/v3Pages.ts")
  const rival = { port: yield* plain.call("listen", databaseUrl), key: "" }

  const measured = yield* Effect.forEach(requests, (request) => measure(ours, rival, choice, request))
  const body = JSON.stringify({ wallets: [...choice.holders, ...choice.wallets].slice(0, 100) })
  yield* run(ours, times(20, ["/v3/wallets/batch"]), { body })
  const batch = yield* run(ours, times(samples, ["/v3/wallets/batch"]), { body })

  // An account may read few windows of P&L at a time.
  const mix = requests
    .filter(({ hasRival, most }) => hasRival && most === firstPage)
    .flatMap(({ paths }) => paths(choice))
  const quiet = choice.wallets.flatMap((wallet) => [
    `/v3/wallets/${wallet}/trades`,
    `/v3/wallets/${wallet}/positions`,
    `/v3/wallets/${wallet}`,
  ])
  const paths = times(mixed, [...mix, ...quiet])
  yield* run(ours, paths, { connections: clients })
  const before = yield* api.call("startMonitor")
  const many = yield* run(ours, paths, { connections: clients })
  const { peakMegabytes } = yield* api.call("peaks")
  const theirs = yield* run(rival, times(mixed / 10, [...mix, ...quiet]), { connections: clients })

  return {
    lines: [
      ...measured.flatMap(linesOf),
      { what: "batch of 100 wallets, p99", unit: "ms", ours: batch.p99, goal: { most: batchGoal } },
      {
        what: `${clients} clients, a random mix`,
        unit: "requests/s",
        ours: many.perSecond,
        alternative: { name: "plain queries", value: theirs.perSecond },
        ratio: { to: "theirs", value: many.perSecond / theirs.perSecond },
        goal: { share: 1 },
      },
      { what: "  memory grown", unit: "MB", ours: peakMegabytes - before, goal: { most: memoryGoal } },
    ],
    notes: [
      `scale ${scale}: ${choice.fills.toLocaleString("en")} fills, up to ${choice.mostFills.toLocaleString("en")} of one wallet and ${choice.mostPositions.toLocaleString("en")} positions of one wallet`,
      "first pages, and pages 18,000 rows further (or the last), of the busiest wallets, tokens and event; one request at a time",
      `rollups of the whole ledger: ${Math.round(countingSeconds)} s`,
    ],
    rounds: { choice, measured, batch, many, theirs },
  }
}).pipe(Effect.scoped)
