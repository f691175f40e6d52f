import { Effect } from "effect"
import { type Request, requests } from "./catalogue/lists.ts"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import type { CatalogueChoice, CatalogueChoiceSubject } from "./support/catalogue.ts"
import { ensureLedgers, openLedger } from "./support/largeLedger.ts"
import type { PageLoadResult } from "./support/pageLoad.ts"
import { run, type Target, times, unlimited, withParameter } from "./support/pages.ts"
import type { Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import type { RollupsSubject, V3RivalSubject } from "./support/v3.ts"

const warmUp = 40
const samples = 200
/** The plain queries take long; the rival gets fewer requests. */
const rivalSamples = 8

interface Measured {
  readonly request: Request
  readonly first: PageLoadResult
  readonly rival: PageLoadResult | undefined
}

const measure = Effect.fnUntraced(function* (ours: Target, rival: Target, choice: CatalogueChoice, request: Request) {
  const paths = request.paths(choice)
  const { isCached = false } = request
  // A millionth of a dollar excludes nothing that the first page has.
  const fresh = (count: number, before: number) =>
    times(count, paths).map((path, i) =>
      isCached ? withParameter(path, `min_volume=0.${String(before + i).padStart(6, "0")}`) : path,
    )
  yield* run(ours, fresh(warmUp, 0))
  const first = yield* run(ours, fresh(samples, warmUp))
  const theirs = request.hasRival === true ? yield* run(rival, times(rivalSamples, paths)) : undefined
  return { request, first, rival: theirs } satisfies Measured
})

const lineOf = ({ request: { name, most }, first, rival }: Measured): Line => ({
  what: `${name}, p99`,
  unit: "ms",
  ours: first.p99,
  ...(rival && {
    alternative: { name: "plain queries", value: rival.p99 },
    ratio: { to: "their time", value: first.p99 / rival.p99 },
  }),
  goal: { most },
})

/** Lists of markets, events, builders and combos, search and candles, at the busiest of each. */
export const catalogue: Bench = Effect.gen(function* () {
  yield* ensureLedgers(["whole"])
  const { environment, scale } = yield* openLedger("whole")
  const databaseUrl = environment["DATABASE_URL"] ?? ""
  const counting = { ...environment, ...unlimited }
  const rollups = yield* startSubject<RollupsSubject>("ours/rollups.ts", counting, "1200 seconds")
  const rollupSeconds = yield* rollups.call("prepare")
  const { markets: marketSeconds, builders: builderSeconds } = yield* rollups.call("prepareLists")
  const { port, key } = yield* startApi(counting)
  const ours = { port, key }
  const chooser = yield* startSubject<CatalogueChoiceSubject>("support/catalogueChoice.ts", {}, "600 seconds")
  const choice = yield* chooser.call("choose", databaseUrl)
  const plain = yield* startSubject<V3RivalSubject>("rivals/cataloguePages.ts")
  const rival = { port: yield* plain.call("listen", databaseUrl), key: "" }
  const measured = yield* Effect.forEach(requests, (request) => measure(ours, rival, choice, request))
  return {
    lines: measured.map(lineOf),
    notes: [
      `scale ${scale}: ${choice.markets.toLocaleString("en")} markets, ${choice.traded.toLocaleString("en")} of them traded; ${choice.fills.toLocaleString("en")} fills`,
      "first pages of the busiest tokens, conditions, tags, events, builders and wallets; one request at a time",
      `counting what was not counted yet: rollups ${Math.round(rollupSeconds)} s, markets and events ${Math.round(marketSeconds)} s, builders ${Math.round(builderSeconds)} s`,
    ],
    rounds: { choice, measured },
  }
}).pipe(Effect.scoped)
