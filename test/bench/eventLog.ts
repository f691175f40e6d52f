import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { type EventLogSubject, perTransaction, type Variant, writers } from "./support/eventLog.ts"
import type { Line } from "./support/report.ts"
import { interleave } from "./support/rounds.ts"
import { type Subject, startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 5
const millis = 1500
const trickled = 300

const throughput = Effect.fnUntraced(function* (writer: Subject<EventLogSubject>) {
  const write = (variant: Variant) => writer.call("write", variant, millis)
  const results = yield* interleave(rounds, {
    ours: write("ours"),
    unlocked: write("unlocked"),
    bare: write("insert only"),
  })
  const line: Line = {
    what: `append, ${writers} writers, ${perTransaction} per transaction`,
    unit: "rows/s",
    ours: median(results.ours),
    alternative: { name: "without the lock", value: median(results.unlocked) },
    limit: { name: "insert alone", value: median(results.bare) },
    ratio: { to: "without the lock", value: medianRatio(results.ours, results.unlocked) },
  }
  return { line, results }
})

const latency = Effect.fnUntraced(function* (writer: Subject<EventLogSubject>, reader: Subject<EventLogSubject>) {
  yield* reader.call("follow")
  const appended = yield* writer.call("trickle", trickled)
  yield* Effect.sleep("300 millis")
  const seen = new Map(yield* reader.call("seen"))
  const seenSince = (ref: number, at: number) => (seen.get(ref) ?? Number.POSITIVE_INFINITY) - at
  const sinceCommit = appended.map(([ref, , committed]) => seenSince(ref, committed))
  const sinceAppend = appended.map(([ref, startedAt]) => seenSince(ref, startedAt))
  return { sinceCommit, sinceAppend, missed: appended.length - seen.size }
})

/** The cost of a strictly ordered log for its writers, and the delay until a reader in another process sees an event. */
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
      timing("commit confirmed → read in another process, p50", sinceCommit, 0.5),
      timing("  p99", sinceCommit, 0.99),
      timing("append started → read in another process, p50", sinceAppend, 0.5),
      timing("  p99", sinceAppend, 0.99),
    ],
    notes: [
      `${trickled} single events, ${missed} missed by the reader; it may read an event before the commit is confirmed to the writer`,
    ],
    rounds: { ...results, sinceCommit, sinceAppend },
  }
}).pipe(withStores)
