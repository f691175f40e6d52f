import { Effect, Metric } from "effect"
import { LogsAt } from "#src/platform/telemetry/logging.ts"
import type { Incoming, Reply } from "../server/Exchange.ts"

const slowMillis = 1000
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const counterFor = (attributes: Readonly<Record<string, string>>) =>
  Metric.counter("presage_http_requests_total", {
    description: "Answered HTTP requests; 499 is a client that went away",
    incremental: true,
    attributes,
  })

const histogramFor = (attributes: Readonly<Record<string, string>>) =>
  Metric.histogram("presage_http_request_seconds", {
    description: "Time from the request line to the end of the answer",
    boundaries,
    attributes,
  })

interface Series {
  readonly counter: Metric.Counter<number>
  readonly histogram: Metric.Histogram<number>
}

const getOrSet = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** Counts, times and logs finished requests. Only paths and route patterns are written, never queries. */
export const makeObserver = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const logsAt = yield* LogsAt
  // Nested by values that are already there, because joining them into one key would cost more than the metrics.
  const series = new Map<string, Map<string, Map<number, Series>>>()

  const seriesFor = (method: string, route: string, status: number): Series => {
    const byMethod = getOrSet(series, route, () => new Map<string, Map<number, Series>>())
    const byStatus = getOrSet(byMethod, method, () => new Map<number, Series>())
    return getOrSet(byStatus, status, () => ({
      counter: counterFor({ method, route, status: String(status) }),
      histogram: histogramFor({ method, route }),
    }))
  }

  const measure = (method: string, route: string, status: number, millis: number) => {
    const { counter, histogram } = seriesFor(method, route, status)
    counter.updateUnsafe(1, context)
    histogram.updateUnsafe(millis / 1000, context)
  }

  const done = (request: Incoming, reply: Reply) => {
    const millis = performance.now() - request.startedAt
    const status = reply.writableFinished ? reply.statusCode : 499
    const method = request.method ?? "?"
    const route = request.route ?? "(none)"
    measure(method, route, status, millis)
    const level = status >= 500 || millis > slowMillis ? "Info" : "Debug"
    if (!logsAt(level)) return
    run(
      Effect.annotateLogs(Effect.logWithLevel(level)("request"), {
        method,
        path: request.url?.split("?", 1)[0]?.slice(0, 500),
        route,
        status,
        ms: Math.round(millis * 10) / 10,
        request_id: request.requestId,
      }),
    )
  }

  /** A connection that said something other than HTTP. */
  const unreadable = (status: number) => measure("?", "(unreadable)", status, 0)

  return { done, unreadable }
})
