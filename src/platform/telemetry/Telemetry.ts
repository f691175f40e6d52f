import { Effect, Layer, Logger, Option, References } from "effect"
import { Configuration } from "../config/Configuration.ts"
import * as settings from "../config/settings.ts"
import { LogsAt, reaches, toStderr, withThreshold } from "./logging.ts"

/** Logs to stderr; also sends traces, metrics and logs to a collector when one is set. */
export const telemetry = (version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const config = yield* Configuration
      const threshold = () => config.get(settings.logLevel)
      const format = config.get(settings.logFormat)
      const isPretty = format === "pretty" || (format === "auto" && process.stderr.isTTY === true)
      const logs = Layer.mergeAll(
        Logger.layer([withThreshold(toStderr(isPretty ? "pretty" : "json"), threshold)]),
        Layer.succeed(References.MinimumLogLevel, "Debug"),
        Layer.succeed(LogsAt, (level) => reaches(level, threshold())),
      )
      const endpoint = config.get(settings.otelEndpoint)
      if (Option.isNone(endpoint)) return logs
      // Loaded on demand: most instances have no collector, and loading it delays the start.
      const { collector } = yield* Effect.promise(() => import("./collector.ts"))
      return collector({
        baseUrl: endpoint.value,
        version,
        filter: (logger) => withThreshold(logger, threshold),
        sample: () => Math.random() < config.get(settings.otelSampleRatio),
      }).pipe(Layer.provideMerge(logs))
    }),
  )
