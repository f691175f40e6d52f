import { Context, Effect, Fiber, Layer, Metric, References } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { LogsAt } from "#src/platform/telemetry/logging.ts"
import { Incoming, type Reply } from "../server/Exchange.ts"

const slowMillis = 1000
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const counterFor = (attributes: Readonly<Record<string, string>>) =>
  Metric.counter("presage_http_requests_total", {
    description: "Answered HTTP requests; 499 means the client disconnected",
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

/** Counts, times and logs finished requests. Logs paths and route patterns, never queries. */
export const makeObserver = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const logsAt = yield* LogsAt
  // Nested maps, because joining the values into one key would cost more than the metrics.
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

  /** A connection that did not send valid HTTP. */
  const unreadable = (status: number) => measure("?", "(unreadable)", status, 0)

  return { done, unreadable }
})

const currentRequestId = (): string | undefined => {
  const context = Fiber.getCurrent()?.context
  const request = context && Context.getOrUndefined(context, HttpServerRequest)
  return request?.source instanceof Incoming ? request.source.requestId : undefined
}

/**
 * Adds the request id to every log line of a request. It is read when a line is written: setting it for each request would
 * cost all requests for the few that log, and would be lost in HttpApi, which overlays the request's context with the one
 * the handlers were built in.
 */
export const requestIdInLogs = Layer.effect(
  References.CurrentLogAnnotations,
  Effect.map(References.CurrentLogAnnotations, (inherited) =>
    Object.defineProperty({ ...inherited }, "request_id", { enumerable: true, get: currentRequestId }),
  ),
)
