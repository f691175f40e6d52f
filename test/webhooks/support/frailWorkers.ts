import { Effect, Layer, Logger } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { privateStores } from "#test/support/processes/privateStores.ts"
import { testConfiguration, testSecret } from "#test/support/TestStores.ts"
import { insecure, making } from "./hooks.ts"

const readyWithin = 60_000

export const startWorker = (name: string, env: Readonly<Record<string, string>>) =>
  start({ name, file: "test/webhooks/support/workerProcess.ts", env })

export const isReady = (worker: Process) => worker.waitFor("ready", { within: readyWithin })

/** Webhook workers in processes of their own, on private stores: any of them may be killed. */
export const frailWorkers = (count: number, more: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { postgres, redis, prefix, env: stores } = yield* privateStores
    const env = {
      ...stores,
      ...insecure.environment,
      PRESAGE_SECRET: testSecret,
      EVENT_LOG_RETENTION: "3650d",
      ...more,
    }
    const all: Array<Process> = []
    const startOne = Effect.suspend(() =>
      Effect.tap(startWorker(`worker ${all.length + 1}`, env), (worker) => Effect.sync(() => all.push(worker))),
    )
    // Sequentially, because the first one creates the tables.
    const workers = yield* Effect.forEach(Array.from({ length: count }), () => Effect.tap(startOne, isReady))

    const services = making.pipe(
      Layer.provideMerge(Layer.mergeAll(EventLog.layer, Secrets.layer, Leases.layer, Jobs.layer)),
      Layer.provideMerge(Layer.merge(Postgres.layer(postgres.url), Redis.layer(redis.url))),
      Layer.provideMerge(
        testConfiguration({ "redis.prefix": prefix, "presage.secret": testSecret, ...insecure.flags }),
      ),
      Layer.provideMerge(Logger.layer([])),
    )

    return {
      postgres,
      redis,
      services,
      workers,
      processes: all,
      /** Kills one with SIGKILL once the others are up; its successor is starting when this returns. */
      kill: (place: number) =>
        Effect.gen(function* () {
          yield* Effect.forEach(workers, isReady)
          workers[place]?.kill()
          yield* workers[place]?.exit(10_000) ?? Effect.void
          workers[place] = yield* startOne
        }),
    }
  })
