import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { CopySqlSubject, PoolSubject, WalletScore } from "./support/copyPnl.ts"
import type { WorkerSubject } from "./support/exports.ts"
import { openLedger } from "./support/largeLedger.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"

const walletCount = 1000
const workers = 2
const rounds = 3
const timeout = "580 seconds"

const textOf = ({ wallet, actual, backtest, trades }: WalletScore) => `${wallet} ${actual} ${backtest} ${trades}`

/** All six periods of the busiest wallets of a long history, scored by two workers. */
export const copyPnl: Bench = Effect.gen(function* () {
  const { environment, genesis } = yield* openLedger("whole")
  const own = { ...environment, BENCH_NOW: String(genesis) }
  const pool = yield* startSubject<PoolSubject>("ours/copyPnlPool.ts", own, timeout)
  const wallets = yield* pool.call("busiest", walletCount)
  for (let i = 0; i < workers; i++) {
    const worker = yield* startSubject<WorkerSubject>("ours/copyPnlWorker.ts", own)
    yield* worker.call("work")
  }
  const rival = yield* startSubject<CopySqlSubject>("rivals/copyPnlSql.ts", {}, timeout)
  const url = environment["DATABASE_URL"] ?? ""

  const [ours, theirs, read]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
  let fills = 0
  let different = 0
  for (let round = 0; round < rounds; round++) {
    read.push(yield* rival.call("read", url, wallets, genesis))
    ours.push(
      yield* pool.call(
        "score",
        wallets.map(({ wallet }) => wallet),
      ),
    )
    const scores = yield* pool.call("scores")
    const sums = yield* rival.call("score", url, wallets, genesis)
    theirs.push(sums.seconds)
    const known = new Set(sums.scores.map(textOf))
    different = scores.filter((score) => !known.has(textOf(score))).length + wallets.length - scores.length
    fills = scores.reduce((sum, { trades }) => sum + trades, 0)
  }
  return {
    lines: [
      {
        what: `${wallets.length} wallets, 6 periods each`,
        unit: "s",
        ours: median(ours),
        alternative: { name: "one statement per wallet", value: median(theirs) },
        limit: { name: "reading the rows", value: median(read) },
        ratio: { to: "their time", value: medianRatio(ours, theirs) },
        goal: { most: 60 },
      },
      {
        what: "  fills processed",
        unit: "fills/s",
        ours: fills / median(ours),
        alternative: { name: "one statement per wallet", value: fills / median(theirs) },
        limit: { name: "reading the rows", value: fills / median(read) },
      },
    ],
    notes: [
      `the busiest wallets with ${fills.toLocaleString("en")} fills, scored by ${workers} workers; the SQL statements use 4 connections`,
      `${different} of the scores differ from the SQL statements' scores`,
    ],
    rounds: { ours, theirs, read },
  }
})
