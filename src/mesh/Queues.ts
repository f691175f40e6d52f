import type { Job as BullJob, Queue } from "bullmq"
import { Context, Effect, Layer, Schema } from "effect"
import { fromRedis, type RedisFailure } from "#src/platform/redis/Redis.ts"
import { redact } from "#src/platform/text/redact.ts"
import type { Job } from "./Job.ts"
import { Jobs } from "./Jobs.ts"

export const queueStates = ["waiting", "prioritized", "active", "delayed", "failed"] as const
export type QueueState = (typeof queueStates)[number]

export interface QueueCounts extends Readonly<Record<QueueState, number>> {
  readonly queue: string
}

/** A job that failed for good, until it is retried, dropped, or a week old. */
export interface FailedJob {
  readonly id: string
  readonly reason: string
  readonly attempts: number
  /** Milliseconds, as is `failedAt`. */
  readonly createdAt: number
  readonly failedAt: number | null
  readonly payload: string
}

export class NoSuchQueue extends Schema.TaggedError<NoSuchQueue>()("NoSuchQueue", { queue: Schema.String }) {}

/** The job is not among the failed ones: another operator was faster, or it is too old. */
export class NotFailed extends Schema.TaggedError<NotFailed>()("NotFailed", {
  queue: Schema.String,
  id: Schema.String,
}) {}

type QueueFailure = NoSuchQueue | RedisFailure

const maxText = 2000
const shortened = (text: string) => (text.length > maxText ? `${text.slice(0, maxText)}…` : text)

const failedJobOf = (bull: BullJob): FailedJob => ({
  id: bull.id ?? "",
  reason: shortened(redact(bull.failedReason ?? "")),
  attempts: bull.attemptsMade,
  createdAt: bull.timestamp,
  failedAt: bull.finishedOn ?? null,
  payload: shortened(redact(JSON.stringify(bull.data))),
})

/** The queues as operators see them. */
export class Queues extends Context.Service<
  Queues,
  {
    readonly counts: Effect.Effect<ReadonlyArray<QueueCounts>, RedisFailure>
    /** Failed jobs, newest first. */
    readonly failed: (
      queue: string,
      page: { readonly offset: number; readonly limit: number },
    ) => Effect.Effect<{ readonly total: number; readonly jobs: ReadonlyArray<FailedJob> }, QueueFailure>
    /** Runs a failed job once more. */
    readonly retry: (queue: string, id: string) => Effect.Effect<FailedJob, QueueFailure | NotFailed>
    readonly drop: (queue: string, id: string) => Effect.Effect<FailedJob, QueueFailure | NotFailed>
    /** All failed jobs of a queue; returns how many there were. */
    readonly retryAll: (queue: string) => Effect.Effect<number, QueueFailure>
    readonly dropAll: (queue: string) => Effect.Effect<number, QueueFailure>
  }
>()("presage/mesh/Queues") {
  static readonly layer = (contracts: ReadonlyArray<Pick<Job<never>, "name">>) =>
    Layer.effect(
      Queues,
      Effect.gen(function* () {
        const jobs = yield* Jobs
        const names = new Set(contracts.map(({ name }) => name))
        const find = (queue: string) =>
          names.has(queue) ? Effect.succeed(jobs.queue({ name: queue })) : Effect.fail(new NoSuchQueue({ queue }))

        const countsOf = (name: string) =>
          Effect.map(
            fromRedis(() => jobs.queue({ name }).getJobCounts(...queueStates)),
            (counts): QueueCounts => ({
              queue: name,
              waiting: counts["waiting"] ?? 0,
              prioritized: counts["prioritized"] ?? 0,
              active: counts["active"] ?? 0,
              delayed: counts["delayed"] ?? 0,
              failed: counts["failed"] ?? 0,
            }),
          )

        const withFailed = (
          name: string,
          id: string,
          act: (bull: BullJob) => Promise<void>,
        ): Effect.Effect<FailedJob, QueueFailure | NotFailed> =>
          Effect.gen(function* () {
            const queue = yield* find(name)
            const bull: BullJob | undefined = yield* fromRedis(() => queue.getJob(id))
            if (bull === undefined || !(yield* fromRedis(() => bull.isFailed())))
              return yield* new NotFailed({ queue: name, id })
            const found = failedJobOf(bull)
            yield* fromRedis(() => act(bull))
            return found
          })

        const withAll = (name: string, act: (queue: Queue, count: number) => Promise<unknown>) =>
          Effect.gen(function* () {
            const queue = yield* find(name)
            const count = yield* fromRedis(() => queue.getFailedCount())
            if (count > 0) yield* fromRedis(() => act(queue, count))
            return count
          })

        return Queues.of({
          counts: Effect.withSpan(Effect.forEach([...names], countsOf, { concurrency: 8 }), "Queues.counts"),
          failed: Effect.fn("Queues.failed")(function* (name, { offset, limit }) {
            const queue = yield* find(name)
            const [total, found] = yield* fromRedis(() =>
              Promise.all([queue.getFailedCount(), queue.getFailed(offset, offset + limit - 1)]),
            )
            // A job may be removed between the list and its content.
            return { total, jobs: found.flatMap((bull) => (bull === undefined ? [] : [failedJobOf(bull)])) }
          }),
          retry: Effect.fn("Queues.retry")((name, id) => withFailed(name, id, (bull) => bull.retry("failed"))),
          drop: Effect.fn("Queues.drop")((name, id) => withFailed(name, id, (bull) => bull.remove())),
          retryAll: Effect.fn("Queues.retryAll")((name) =>
            withAll(name, (queue) => queue.retryJobs({ state: "failed" })),
          ),
          dropAll: Effect.fn("Queues.dropAll")((name) =>
            withAll(name, (queue, count) => queue.clean(0, count, "failed")),
          ),
        })
      }),
    )
}
