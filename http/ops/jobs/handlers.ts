import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { type FailedJob, NoSuchQueue, NotFailed, Queues } from "#src/mesh/Queues.ts"
import { Audit } from "#src/operators/Audit.ts"
import { Processes, type TimedSample } from "#src/processes/Processes.ts"
import { NotFound, unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { CurrentOperator } from "../OperatorAccess.ts"
import { iso } from "../shapes.ts"

const shown = ({ id, reason, attempts, createdAt, failedAt, payload }: FailedJob) => ({
  id,
  reason,
  attempts,
  created_at: iso(createdAt),
  failed_at: failedAt === null ? null : iso(failedAt),
  payload,
})

const refused = (error: unknown) => {
  if (error instanceof NoSuchQueue)
    return Effect.fail(new NotFound({ error: "There is no such queue.", hint: "GET /ops/v1/jobs lists the queues." }))
  if (error instanceof NotFailed)
    return Effect.fail(
      new NotFound({
        error: "The job is not among the failed ones.",
        hint: "It was retried or dropped, or is older than a week.",
      }),
    )
  return unavailable("ops")(error)
}

/** Runs of a queue in the samples. */
const runsIn = (samples: ReadonlyArray<TimedSample>, queue: string) => {
  const sum = (kind: string) => samples.reduce((total, { counts }) => total + (counts[`jobs.${queue}.${kind}`] ?? 0), 0)
  return { done: sum("done"), retried: sum("retried"), failed: sum("failed") }
}

export const JobsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "jobs",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues
    const processes = yield* Processes
    const audit = yield* Audit

    const audited = <A, E>(action: string, subject: string, work: Effect.Effect<A, E>) =>
      Effect.flatMap(CurrentOperator, ({ name }) =>
        Effect.catch(audit.record({ by: name, action, subject, detail: "" }, work), refused),
      )

    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        const now = yield* Clock.currentTimeMillis
        const [all, samples] = yield* Effect.all([queues.counts, processes.samples(now - 60_000)], {
          concurrency: "unbounded",
        }).pipe(Effect.catch(unavailable("ops")))
        return { queues: all.map((each) => ({ ...each, per_minute: runsIn(samples, each.queue) })) }
      }),
      failed: ({ params, query: { limit = 50, offset = 0 } }) =>
        Effect.map(Effect.catch(queues.failed(params.queue, { limit, offset }), refused), ({ total, jobs }) => ({
          total,
          jobs: jobs.map(shown),
        })),
      retry: ({ params: { queue, id } }) =>
        Effect.map(audited("retry job", `${queue} ${id}`, queues.retry(queue, id)), shown),
      drop: ({ params: { queue, id } }) =>
        Effect.map(audited("drop job", `${queue} ${id}`, queues.drop(queue, id)), shown),
      retryAll: ({ params: { queue } }) =>
        Effect.map(audited("retry failed jobs", queue, queues.retryAll(queue)), (jobs) => ({ jobs })),
      dropAll: ({ params: { queue } }) =>
        Effect.map(audited("drop failed jobs", queue, queues.dropAll(queue)), (jobs) => ({ jobs })),
    })
  }),
)
