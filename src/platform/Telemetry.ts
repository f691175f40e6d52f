import { NodeHttpClient } from "@effect/platform-node"
import { Cause, Effect, Layer, Logger, Option, References } from "effect"
import { HttpBody } from "effect/unstable/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/unstable/observability"
import { Configuration } from "./Configuration.ts"
import { redact } from "./redact.ts"
import { Sampling } from "./Sampling.ts"
import * as settings from "./settings.ts"

type Log = Logger.Logger<unknown, void>

const ranks: Record<string, number> = { Trace: 0, Debug: 1, Info: 2, Warn: 3, Error: 4, Fatal: 5 }
const thresholds = { debug: 1, info: 2, warn: 3, error: 4, none: 9 } as const

/** The cluster's own remarks at info are of no use to an operator. */
const rankOf = ({ logLevel, fiber }: Logger.Options<unknown>) => {
  const { package: from } = fiber.getRef(References.CurrentLogAnnotations)
  const rank = ranks[logLevel] ?? 0
  return from === "@effect/cluster" && rank === ranks.Info ? (ranks.Debug ?? 0) : rank
}

const colours: Record<string, string> = { Debug: "90", Info: "36", Warn: "33", Error: "31", Fatal: "31;1" }
const paint = (code: string, text: string) => (process.stderr.hasColors?.() ? `\u001b[${code}m${text}\u001b[0m` : text)

const say = (part: unknown) =>
  typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part)

/** One line for people: time, level, message, annotations; a cause follows on its own lines. */
const prettyLine = Logger.make<unknown, string>(({ date, logLevel, message, cause, fiber }) => {
  const time = paint("90", date.toISOString().slice(11, 23))
  const level = paint(colours[logLevel] ?? "0", logLevel.toUpperCase().padEnd(5))
  const words = (Array.isArray(message) ? message : [message]).map(say).join(" ")
  const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
  const tail = annotations.map(([key, value]) => paint("90", ` ${key}=${say(value)}`)).join("")
  const why = cause.reasons.length === 0 ? "" : `\n${Cause.pretty(cause)}`
  return `${time} ${level} ${words}${tail}${why}`
})

/** Logs go to standard error: standard output belongs to what a command was asked to print. */
const toStderr = (format: Logger.Logger<unknown, string>): Log =>
  Logger.make((entry) => void process.stderr.write(`${redact(format.log(entry))}\n`))

/** JSON, like Effect's own, but passed through `redact`: this is where everything leaves the process. */
const redactedJson = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: (data) => HttpBody.text(redact(JSON.stringify(data)), "application/json"),
  metrics: (data) => HttpBody.text(redact(JSON.stringify(data)), "application/json"),
  logs: (data) => HttpBody.text(redact(JSON.stringify(data)), "application/json"),
})

const collector = (baseUrl: string, version: string, only: (logger: Log) => Log) => {
  const common = {
    resource: { serviceName: "presage", serviceVersion: version },
    shutdownTimeout: "2 seconds",
  } as const
  const logger = OtlpLogger.make({ ...common, url: `${baseUrl}/v1/logs` }).pipe(Effect.map(only))
  return Layer.mergeAll(
    Logger.layer([logger], { mergeWithExisting: true }),
    OtlpMetrics.layer({ ...common, url: `${baseUrl}/v1/metrics` }),
    OtlpTracer.layer({ ...common, url: `${baseUrl}/v1/traces` }),
  ).pipe(Layer.provide([OtlpExporter.layerFlusher, redactedJson, NodeHttpClient.layerUndici]))
}

/** Logs always; traces, metrics and logs to a collector when one is set. */
export const telemetry = (version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const config = yield* Configuration
      const only = (logger: Log): Log =>
        Logger.make((entry) => {
          if (rankOf(entry) >= thresholds[config.get(settings.logLevel)]) logger.log(entry)
        })
      const format = config.get(settings.logFormat)
      const pretty = format === "pretty" || (format === "auto" && process.stderr.isTTY === true)
      const logs = Layer.merge(
        Logger.layer([only(toStderr(pretty ? prettyLine : Logger.formatJson))]),
        // The level can be tuned while running, so the filter is in the logger and everything reaches it.
        Layer.succeed(References.MinimumLogLevel, "Debug"),
      )
      const endpoint = config.get(settings.otelEndpoint)
      if (Option.isNone(endpoint)) return logs
      const sampling = Layer.succeed(Sampling, () => Math.random() < config.get(settings.otelSampleRatio))
      return Layer.merge(collector(endpoint.value.replace(/\/+$/, ""), version, only), sampling).pipe(
        Layer.provideMerge(logs),
      )
    }),
  )
