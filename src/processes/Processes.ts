import { Context, Effect, Layer, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis, type RedisFailure } from "#src/platform/redis/Redis.ts"
import { idOf, type ProcessReport, Sample } from "./model.ts"
import { readReports, redisTime, samplesKept } from "./reports.ts"

/** A process that has not reported for three rounds may have died. */
const silentAfterMillis = 30_000

export interface ReportingProcess extends ProcessReport {
  readonly id: string
  readonly isSilent: boolean
}

export interface TimedSample extends Sample {
  readonly process: string
  /** Milliseconds, by the clock of Redis. */
  readonly at: number
}

const decodeSample = Schema.decodeUnknownOption(Schema.fromJsonString(Sample))

/** What the processes of the instance report about themselves. */
export class Processes extends Context.Service<
  Processes,
  {
    /** Those that run, and those that ended without saying so within the last hour. */
    readonly list: Effect.Effect<ReadonlyArray<ReportingProcess>, RedisFailure>
    /** Measurements after a moment in milliseconds, of at most an hour, oldest first. */
    readonly samples: (after: number) => Effect.Effect<ReadonlyArray<TimedSample>, RedisFailure>
  }
>()("presage/processes/Processes") {
  static readonly layer = Layer.effect(
    Processes,
    Effect.gen(function* () {
      const redis = yield* Redis
      const { processes, processSamples } = keys(redis.prefix)

      const list = Effect.gen(function* () {
        const now = yield* redisTime(redis)
        const reports = yield* readReports(redis, now)
        return reports
          .map((report) => ({ ...report, id: idOf(report), isSilent: now - report.at > silentAfterMillis }))
          .toSorted((x, y) => x.id.localeCompare(y.id))
      })

      const samplesOf = (process: string, after: number) =>
        Effect.map(
          redis.run((client) => client.xrange(processSamples(process), `(${after}-0`, "+", "COUNT", samplesKept)),
          (entries) =>
            entries.flatMap(([id, fields]): ReadonlyArray<TimedSample> => {
              const sample = Option.getOrUndefined(decodeSample(fields[1] ?? ""))
              return sample === undefined ? [] : [{ ...sample, process, at: Number(id.split("-", 1)[0]) }]
            }),
        )

      return Processes.of({
        list: Effect.withSpan(list, "Processes.list"),
        samples: Effect.fn("Processes.samples")(function* (after) {
          const ids = yield* redis.run((client) => client.hkeys(processes))
          const all = yield* Effect.forEach(ids, (id) => samplesOf(id, after), { concurrency: 4 })
          return all.flat().toSorted((a, b) => a.at - b.at)
        }),
      })
    }),
  )
}
