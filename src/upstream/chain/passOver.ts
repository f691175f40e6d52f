import { Effect, Metric } from "effect"
import type { UndecodableLog } from "./readLogs.ts"

const undecodable = (what: string) =>
  Metric.counter("presage_upstream_undecodable_total", {
    description: "Rows and messages of upstreams that could not be read and were passed over",
    incremental: true,
    attributes: { upstream: "rpc", what },
  })

/** Counts what could not be read and keeps a sample of it in the log. */
export const passOver = (what: string, count: number, reason: string, sample: string) =>
  Effect.andThen(
    Metric.update(undecodable(what), count),
    Effect.logWarning(`rpc: passed over ${count} ${what}: ${reason.replace(/\s+/g, " ").slice(0, 200)}`).pipe(
      Effect.annotateLogs({ sample: sample.slice(0, 300) }),
    ),
  )

/** One line for all of an answer: where it comes from is in the sample. */
export const passOverLogs = ([first, ...others]: ReadonlyArray<UndecodableLog>) =>
  first === undefined ? Effect.void : passOver("log", 1 + others.length, first.reason, JSON.stringify(first))
