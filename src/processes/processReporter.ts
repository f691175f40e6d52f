import { hostname } from "node:os"
import { Clock, Duration, Effect, Layer, Metric, Schedule } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { role } from "#src/platform/config/settings.ts"
import { version } from "#src/platform/process/version.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { byLabel, errorsFrom, growth, totalsFrom, valueIn } from "./figures.ts"
import { idOf, type ProcessReport, type Sample } from "./model.ts"
import { readReports, redisTime, samplesKept } from "./reports.ts"

/** How often a process reports. */
const reportEvery = Duration.seconds(10)

const keptSeconds = 3600 + 60

/** Cores in use since the last call. */
const makeCpuMeter = () => {
  let before = process.cpuUsage()
  return (seconds: number) => {
    const now = process.cpuUsage()
    const micros = now.user + now.system - before.user - before.system
    before = now
    return seconds > 0 ? micros / 1e6 / seconds : 0
  }
}

/**
 * Reports this process to operators: what it is, what it runs, and its measurements of the last hour, which other processes
 * read from Redis. Reads the existing metrics and adds nothing to the data path.
 */
export const processReporter = (every: Duration.Input = reportEvery) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const config = yield* Configuration
      const redis = yield* Redis
      const clock = yield* Clock.Clock
      const identity = { host: hostname(), pid: process.pid }
      const id = idOf(identity)
      const { processes, processSamples } = keys(redis.prefix)
      const samples = processSamples(id)
      const startedAt = clock.currentTimeMillisUnsafe()
      const cpu = makeCpuMeter()
      let totals = totalsFrom(yield* Metric.snapshot)
      let measuredAt = performance.now()

      const measure = (metrics: ReadonlyArray<Metric.Metric.Snapshot>): Sample => {
        const now = performance.now()
        const seconds = (now - measuredAt) / 1000
        const current = totalsFrom(metrics)
        const counts = growth(totals, current)
        totals = current
        measuredAt = now
        const { rss, heapUsed } = process.memoryUsage()
        const lag = valueIn(metrics, "presage_event_loop_lag_seconds") * 1000
        return { seconds, rss, heap: heapUsed, lag, cpu: cpu(seconds), counts }
      }

      const once = Effect.gen(function* () {
        const metrics = yield* Metric.snapshot
        const sample = measure(metrics)
        const report: ProcessReport = {
          ...identity,
          roles: config.get(role),
          version,
          node: process.version,
          startedAt,
          at: yield* redisTime(redis),
          sample,
          actors: byLabel(metrics, "presage_actor_epoch", "actor"),
          restarts: byLabel(metrics, "presage_actor_restarts_total", "actor"),
          errors: errorsFrom(metrics),
        }
        yield* redis.run((client) =>
          client
            .multi()
            .hset(processes, id, JSON.stringify(report))
            .xadd(samples, "MAXLEN", samplesKept, "*", "s", JSON.stringify(sample))
            .expire(samples, keptSeconds)
            .exec(),
        )
      })
      const forget = redis.run((client) => client.multi().hdel(processes, id).del(samples).exec())
      yield* Effect.addFinalizer(() => Effect.ignore(forget))
      // Processes that were killed leave their report behind.
      const forgetOld = Effect.flatMap(redisTime(redis), (now) => readReports(redis, now))
      yield* Effect.forkScoped(Effect.ignore(forgetOld))
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(once), Schedule.spaced(every)))
    }),
  )
