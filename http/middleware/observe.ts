import { Context, Effect, LogLevel, Metric, References } from "effect"
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

/** Counts, times and logs finished requests. Only paths and route patterns are written, never queries. */
export const makeObserver = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const series = new Map<string, { counter: Metric.Counter<number>; histogram: Metric.Histogram<number> }>()

  const measure = (method: string, route: string, status: number, millis: number) => {
    const key = `${method} ${status} ${route}`
    let metrics = series.get(key)
    if (metrics === undefined) {
      const labels = { method, route }
      metrics = { counter: counterFor({ ...labels, status: String(status) }), histogram: histogramFor(labels) }
      series.set(key, metrics)
    }
    metrics.counter.updateUnsafe(1, context)
    metrics.histogram.updateUnsafe(millis / 1000, context)
  }

  const done = (request: Incoming, reply: Reply) => {
    const millis = performance.now() - request.startedAt
    const status = reply.writableFinished ? reply.statusCode : 499
    const method = request.method ?? "?"
    const route = request.route ?? "(none)"
    measure(method, route, status, millis)
    const level = status >= 500 || millis > slowMillis ? "Info" : "Debug"
    if (!LogLevel.isGreaterThanOrEqualTo(level, Context.get(context, References.MinimumLogLevel))) return
    run(
      Effect.annotateLogs(Effect.logWithLevel(level)("request"), {
        method,
        path: request.path.slice(0, 500),
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
