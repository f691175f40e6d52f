import { Queue } from "bullmq"
import { Context, Duration, Effect, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { fromRedis, Redis, type RedisFailure } from "#src/platform/redis/Redis.ts"
import type { Job } from "./Job.ts"
import { keys } from "./Keys.ts"

/** Failed jobs that Redis keeps for operators to inspect. */
const retention = { removeOnComplete: true, removeOnFail: { age: 7 * 86_400, count: 10_000 } } as const

/** Enqueues work for the workers; the handlers are in `actors/`. */
export class Jobs extends Context.Service<
  Jobs,
  {
    readonly enqueue: <P>(job: Job<P>, payload: P, options?: EnqueueOptions) => Effect.Effect<void, RedisFailure>
    readonly enqueueAll: <P>(
      job: Job<P>,
      payloads: ReadonlyArray<P>,
      options?: EnqueueOptions,
    ) => Effect.Effect<void, RedisFailure>
    /** The BullMQ queue of a job, for schedulers and inspection. */
    readonly queue: (job: Pick<Job<never>, "name">) => Queue
    /** BullMQ options of every job of this contract. */
    readonly optionsOf: (job: Pick<Job<never>, "settings">) => Record<string, unknown>
  }
>()("presage/mesh/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const redis = yield* Redis
      const config = yield* Configuration
      const prefix = keys(redis.prefix).jobs
      const queues = new Map<string, Queue>()

      yield* Effect.addFinalizer(() =>
        Effect.promise(() => Promise.allSettled([...queues.values()].map((queue) => queue.close()))).pipe(
          Effect.timeoutOption("2 seconds"),
        ),
      )

      const queue = ({ name }: { readonly name: string }) => {
        const known = queues.get(name)
        if (known !== undefined) return known
        const made = new Queue(name, {
          connection: redis.commands,
          prefix,
          skipWaitingForReady: true,
        })
        made.on("error", () => undefined) // the connection's own listener reports outages
        queues.set(name, made)
        // BullMQ keeps the failure of its first connection: a queue created while Redis is down would never work.
        made.waitUntilReady().catch(() => {
          if (queues.get(name) === made) queues.delete(name)
          return made.close().catch(() => undefined)
        })
        return made
      }

      const optionsOf = ({ settings }: Pick<Job<never>, "settings">) => ({
        ...retention,
        attempts: config.get(settings.attempts),
        backoff: { type: "custom" },
      })

      const entry = <P>(job: Job<P>, payload: P, options?: EnqueueOptions) => ({
        name: job.name,
        data: job.encode(payload),
        opts: {
          ...optionsOf(job),
          deduplication: { id: job.key(payload) },
          ...(options?.delay ? { delay: Duration.toMillis(options.delay) } : {}),
          // In BullMQ, a job without a priority precedes all jobs with one.
          ...(options?.behindOthers ? { priority: 1 } : {}),
        },
      })

      return Jobs.of({
        queue,
        optionsOf,
        enqueue: (job, payload, options) =>
          fromRedis(() => {
            const { name, data, opts } = entry(job, payload, options)
            return queue(job).add(name, data, opts)
          }).pipe(Effect.asVoid, Effect.withSpan("Jobs.enqueue", { attributes: { job: job.name } })),
        enqueueAll: (job, payloads, options) =>
          fromRedis(() => queue(job).addBulk(payloads.map((payload) => entry(job, payload, options)))).pipe(
            Effect.asVoid,
            Effect.withSpan("Jobs.enqueueAll", { attributes: { job: job.name } }),
          ),
      })
    }),
  )
}

export interface EnqueueOptions {
  readonly delay?: Duration.Duration
  /** Runs only when no other job of the queue is waiting. */
  readonly behindOthers?: boolean
}
