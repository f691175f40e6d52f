import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Logger, Option, Tracer } from "effect"
import { HttpBody } from "effect/unstable/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/unstable/observability"
import { redact } from "../text/redact.ts"
import type { Log } from "./logging.ts"
import { Sampling } from "./Sampling.ts"

const json = (data: unknown) => HttpBody.text(redact(JSON.stringify(data)), "application/json")

/** Like Effect's JSON serialisation, but redacted: all telemetry leaves the process here. */
const redactedJson = Layer.succeed(OtlpSerialization.OtlpSerialization, { traces: json, metrics: json, logs: json })

/**
 * Only requests and jobs start a trace. Jobs are sampled before their span is created, requests here. Child spans follow
 * their parent; other root spans, for example background polls, are not traced.
 */
const sampled = (tracer: Tracer.Tracer, sample: () => boolean): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const isSampled =
        options.kind === "server"
          ? // Ignores the client's own trace: the setting decides.
            sample()
          : Option.match(options.parent, {
              onNone: () => options.kind === "consumer",
              onSome: (parent) => parent.sampled,
            })
      return tracer.span({ ...options, sampled: options.sampled && isSampled })
    },
  })

/** Sends traces, metrics and logs to an OTLP collector. */
export const collector = (options: {
  readonly baseUrl: string
  readonly version: string
  readonly filter: (logger: Log) => Log
  readonly sample: () => boolean
}) => {
  const common = {
    resource: { serviceName: "presage", serviceVersion: options.version },
    shutdownTimeout: "2 seconds",
  } as const
  const url = (signal: string) => `${options.baseUrl.replace(/\/+$/, "")}/v1/${signal}`
  const logger = Effect.map(OtlpLogger.make({ ...common, url: url("logs") }), options.filter)
  const tracer = Effect.map(OtlpTracer.make({ ...common, url: url("traces") }), (otlp) => sampled(otlp, options.sample))
  return Layer.mergeAll(
    Logger.layer([logger], { mergeWithExisting: true }),
    Layer.effect(Tracer.Tracer, tracer),
    Layer.succeed(Sampling, options.sample),
    OtlpMetrics.layer({ ...common, url: url("metrics") }),
  ).pipe(Layer.provide([OtlpExporter.layerFlusher, redactedJson, NodeHttpClient.layerUndici]))
}
