import { Effect } from "effect"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import { coldTicks } from "./support/coldTicks.ts"
import { ensureLedgers, openLedger } from "./support/largeLedger.ts"
import type { PageLoadResult, PageLoadSubject } from "./support/pageLoad.ts"
import type { Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import type { RollupsSubject } from "./support/v3.ts"
import type { BusyWallet, BusyWalletsSubject, ChosenWallets, WalletPagesSubject } from "./support/wallets.ts"
import { type List, lists } from "./wallets/lists.ts"

const busyWallets = 6
const quietWallets = 10
const repeats = 5
/** V8 and the prepared statements are warm after these; the rows of the busy wallets are not. */
const warmUps = 2
const goal = { most: 50 }
/** Measures also what takes longer than a statement may. */
const unlimited = { POSTGRES_STATEMENT_TIMEOUT: "2m" }

interface Server {
  readonly port: number
  readonly key: string
}
type Start = (environment: Readonly<Record<string, string>>) => ReturnType<typeof startOurs>

const startOurs = (environment: Readonly<Record<string, string>>) =>
  Effect.map(startApi({ ...environment, ...unlimited }), ({ port, key }): Server => ({ port, key }))

const startRival = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const rival = yield* startSubject<WalletPagesSubject>("rivals/walletPages.ts")
  return { port: yield* rival.call("listen", environment["DATABASE_URL"] ?? ""), key: "" } satisfies Server
})

const rowsPath: List["path"] = ({ address }) => `/rows/${address}/500`

const times = (count: number, paths: ReadonlyArray<string>) => Array.from({ length: count }, () => paths).flat()

const run = Effect.fnUntraced(function* ({ port, key }: Server, paths: ReadonlyArray<string>) {
  const load = yield* startSubject<PageLoadSubject>("support/pageLoad.ts", {}, "600 seconds")
  return yield* load.call("run", { port, paths, headers: { "x-api-key": key }, connections: 1 })
}, Effect.scoped)

/** The first requests for each busy wallet after a start of Postgres and of the server. */
const cold = (start: Start, path: List["path"], { busy, quiet }: ChosenWallets) =>
  Effect.gen(function* () {
    const { environment } = yield* openLedger("whole")
    const server = yield* start(environment)
    yield* run(server, times(warmUps, quiet.map(path)))
    return yield* run(server, busy.map(path))
  }).pipe(Effect.scoped)

interface Results {
  readonly list: List
  readonly ours: PageLoadResult
  readonly rival: PageLoadResult
  readonly rows: PageLoadResult
}

const linesOf = (suffix: string, { list, ours, rival, rows }: Results): ReadonlyArray<Line> =>
  (["p50", "p99"] as const).map((pick) => ({
    what: pick === "p50" ? `${list.name}, ${suffix}` : `${list.name.startsWith(" ") ? "  " : ""}  p99`,
    unit: "ms",
    ours: ours[pick],
    alternative: { name: "plain queries", value: rival[pick] },
    limit: { name: "500 rows by index", value: rows[pick] },
    ratio: { to: "their time", value: ours[pick] / rival[pick] },
    ...(pick === "p99" ? { goal } : {}),
  }))

const warmAll = (wallets: ReadonlyArray<BusyWallet>) =>
  Effect.gen(function* () {
    const { environment } = yield* openLedger("whole")
    const [ours, rival] = [yield* startOurs(environment), yield* startRival(environment)]
    const rows = yield* run(rival, times(repeats + 1, wallets.map(rowsPath)))
    return yield* Effect.forEach(lists, (list) =>
      Effect.gen(function* () {
        const paths = wallets.map(list.path)
        yield* run(ours, paths)
        yield* run(rival, paths)
        const results = { ours: yield* run(ours, times(repeats, paths)), rival: yield* run(rival, times(2, paths)) }
        return { list, ...results, rows } satisfies Results
      }),
    )
  }).pipe(Effect.scoped)

const choose = Effect.gen(function* () {
  const { environment, scale } = yield* openLedger("whole")
  // Applies migrations that are newer than the ledger.
  yield* startOurs(environment)
  const rollups = yield* startSubject<RollupsSubject>(
    "ours/rollups.ts",
    { ...environment, ...unlimited },
    "600 seconds",
  )
  yield* rollups.call("prepare")
  const subject = yield* startSubject<BusyWalletsSubject>("support/busyWallets.ts", {}, "600 seconds")
  const chosen = yield* subject.call("choose", environment["DATABASE_URL"] ?? "", busyWallets, quietWallets)
  return { chosen, scale }
}).pipe(Effect.scoped)

/** Lists of the wallets with the most positions, and a day of ticks: the first answer and later ones. */
export const wallets: Bench = Effect.gen(function* () {
  yield* ensureLedgers(["whole"])
  const { chosen, scale } = yield* choose
  const rows = yield* cold(startRival, rowsPath, chosen)
  const first = yield* Effect.forEach(lists, (list) =>
    Effect.gen(function* () {
      const ours = yield* cold(startOurs, list.path, chosen)
      const rival = yield* cold(startRival, list.path, chosen)
      return { list, ours, rival, rows } satisfies Results
    }),
  )
  const later = yield* warmAll(chosen.busy)
  const ticks = yield* coldTicks
  const counts = chosen.busy.map(({ positions }) => positions)
  return {
    lines: [
      ...first.flatMap((results, i) => [
        ...linesOf("first answer", results),
        ...later.slice(i, i + 1).flatMap((each) => linesOf("later ones", each)),
      ]),
      ...ticks.lines,
    ],
    notes: [
      `scale ${scale}: ${chosen.positions.toLocaleString("en")} positions; the ${counts.length} wallets with the most have ${Math.min(...counts).toLocaleString("en")} to ${Math.max(...counts).toLocaleString("en")} each`,
      "first answer: Postgres and the server are restarted for each line, and the wallet was never requested since; the server is warm from requests for quiet wallets, and files may be in the cache of the operating system",
      `one request at a time; the p99 of ${counts.length} first answers is the longest`,
      ...ticks.notes,
    ],
    rounds: { chosen, first, later, ticks: ticks.rounds },
  }
})
