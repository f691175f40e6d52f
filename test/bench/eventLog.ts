import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { type EventLogSubject, type Manner, perTransaction, writers } from "./support/eventLog.ts"
import type { Line } from "./support/report.ts"
import { inTurns } from "./support/rounds.ts"
import { type Subject, startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 5
const millis = 1500
const trickled = 300

const throughput = Effect.fnUntraced(function* (writer: Subject<EventLogSubject>) {
  const write = (manner: Manner) => writer.ask("write", manner, millis)
  const results = yield* inTurns(rounds, {
    ours: write("ours"),
    unlocked: write("unlocked"),
    bare: write("insert only"),
  })
  const line: Line = {
    what: `append, ${writers} writers, ${perTransaction} a transaction`,
    unit: "rows/s",
    ours: median(results.ours),
    alternative: { name: "without the lock", value: median(results.unlocked) },
    limit: { name: "insert alone", value: median(results.bare) },
    ratio: { to: "without the lock", value: medianRatio(results.ours, results.unlocked) },
  }
  return { line, results }
})

const latency = Effect.fnUntraced(function* (writer: Subject<EventLogSubject>, reader: Subject<EventLogSubject>) {
  yield* reader.ask("follow")
  const appended = yield* writer.ask("trickle", trickled)
  yield* Effect.sleep("300 millis")
  const seen = new Map(yield* reader.ask("seen"))
  const seenSince = (ref: number, at: number) => (seen.get(ref) ?? Number.POSITIVE_INFINITY) - at
  const sinceCommit = appended.map(([ref, , committed]) => seenSince(ref, committed))
  const sinceAppend = appended.map(([ref, began]) => seenSince(ref, began))
  return { sinceCommit, sinceAppend, missed: appended.length - seen.size }
})

/** What the order of the log costs its writers, and how soon a reader in another process sees what was appended. */
export const eventLog: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const writer = yield* startSubject<EventLogSubject>("ours/eventLog.ts", environment)
  const reader = yield* startSubject<EventLogSubject>("ours/eventLog.ts", environment)
  const { sinceCommit, sinceAppend, missed } = yield* latency(writer, reader)
  const { line, results } = yield* throughput(writer)
  const timing = (what: string, values: ReadonlyArray<number>, q: number): Line => ({
    what,
    unit: "ms",
    ours: quantile(values, q),
  })
  return {
    lines: [
      line,
      timing("commit known → read elsewhere, p50", sinceCommit, 0.5),
      timing("  p99", sinceCommit, 0.99),
      timing("append begun → read elsewhere, p50", sinceAppend, 0.5),
      timing("  p99", sinceAppend, 0.99),
    ],
    notes: [
      `${trickled} single events, ${missed} missed by the reader; it may read before the writer hears of its commit`,
    ],
    rounds: { ...results, sinceCommit, sinceAppend },
  }
}).pipe(withStores)
