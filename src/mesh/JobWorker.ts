import { type Job as BullJob, UnrecoverableError, WaitingError, Worker } from "bullmq"
import { Cause, type Context, Duration, Effect, Exit, Layer, Option, Result, Stream } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { Redis } from "#src/platform/Redis.ts"
import { traced } from "#src/platform/Sampling.ts"
import { Shutdown } from "#src/platform/Shutdown.ts"
import { exclusively } from "./exclusively.ts"
import type { Job, Permanent } from "./Job.ts"
import { Retryable } from "./Job.ts"
import { jobMetrics, type Outcome } from "./JobMetrics.ts"
import { keys } from "./Keys.ts"
import type { Lease } from "./Lease.ts"
import { Leases } from "./Lease.ts"

/** What a handler may know about the run besides its payload. */
export interface JobRun {
  readonly key: string
  /** 1 for the first run. */
  readonly attempt: number
  /** For a tick of a duty: the time it stands for, in milliseconds. */
  readonly slot: Option.Option<number>
  /** For an exclusive job: fences its writes against a predecessor that does not know it was replaced. */
  readonly lease: Option.Option<Lease>
}

export type Handler<P, R> = (payload: P, run: JobRun) => Effect.Effect<void, Retryable | Permanent, R>

/** Why a run was ended from outside. */
type Stop = "budget" | "lock lost" | "handed back"

/** BullMQ's error for "try again", carrying the wait that the handler asked for. */
class RetryLater extends Error {
  readonly after: Option.Option<Duration.Duration>
  constructor(message: string, after: Option.Option<Duration.Duration> = Option.none()) {
    super(message)
    this.after = after
  }
}

/** Time a cut-off handler has to clean up before its slot is given to the next job anyway. */
const cleanUpMillis = 1000

/** Runs the jobs of one queue: each is a fiber, cut off at its budget, when its lock is lost, or when the grace ends. */
export const jobWorker = <P, R>(job: Job<P>, handler: Handler<P, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const redis = yield* Redis
      const config = yield* Configuration
      const shutdown = yield* Shutdown
      const leases = yield* Leases
      const context = yield* Effect.context<R>()
      const fork = Effect.runForkWith(context)
      const metrics = jobMetrics(job.name, context as Context.Context<never>)
      const running = new Map<string, (stop: Stop) => void>()

      const perform = (payload: P, run: JobRun) => {
        const once = (lease: Option.Option<Lease>) => handler(payload, { ...run, lease })
        const work = job.exclusive
          ? exclusively(leases, `${job.name}:${run.key}`, config.get(job.settings.lock), once)
          : Effect.as(once(Option.none()), true)
        return traced(`job ${job.name}`, () => ({ "job.key": run.key, "job.attempt": run.attempt }), work)
      }

      // Three declared parameters: BullMQ gives the signal only to such a function.
      const process = (bull: BullJob, token: string | undefined, signal: AbortSignal | undefined) =>
        new Promise<void>((resolve, reject) => {
          const startedAt = performance.now()
          const end = (outcome: Outcome, error?: Error) => {
            metrics.ran(outcome, startedAt)
            error === undefined ? resolve() : reject(error)
          }
          const decoded = job.decode(bull.data)
          if (Result.isFailure(decoded)) {
            fork(
              Effect.logWarning(`job parked: ${decoded.failure}`).pipe(
                Effect.annotateLogs({ queue: job.name, job: bull.id }),
              ),
            )
            return end("parked", new UnrecoverableError(decoded.failure))
          }
          const slot =
            bull.repeatJobKey === undefined ? Option.none<number>() : Option.some(Number(bull.id?.split(":").at(-1)))
          if (Option.isSome(slot)) metrics.late(Date.now() - slot.value)
          const key = job.key(decoded.success)
          const fiber = fork(
            perform(decoded.success, { key, attempt: bull.attemptsMade + 1, slot, lease: Option.none() }),
          )

          const budget = config.get(job.settings.budget)
          let stopped: Stop | undefined
          let settled = false
          const stop = (why: Stop) => {
            if (settled || stopped !== undefined) return
            stopped = why
            fiber.interruptUnsafe()
            abandon = setTimeout(() => settle(Exit.interrupt()), cleanUpMillis)
          }
          const settle = (exit: Exit.Exit<boolean, Retryable | Permanent>) => {
            if (settled) return
            settled = true
            clearTimeout(timer)
            clearTimeout(abandon)
            if (running.get(id) === stop) running.delete(id)
            const verdict = judge(exit, stopped, budget, Option.isSome(slot))
            if (verdict.outcome === "defect") fork(logDefect(job.name, bull.id, verdict.cause))
            if (verdict.outcome !== "handed_back") return end(verdict.outcome, verdict.error)
            bull.moveToWait(token).then(() => end("handed_back", new WaitingError()), reject)
          }
          let abandon: NodeJS.Timeout | undefined
          const timer = setTimeout(() => stop("budget"), Duration.toMillis(budget))
          const id = bull.id ?? ""
          // BullMQ forgets the first run when this worker is given a stalled job again: end it here.
          running.get(id)?.("lock lost")
          running.set(id, stop)
          signal?.addEventListener("abort", () => stop("lock lost"), { once: true })
          fiber.addObserver(settle)
        })

      const worker = new Worker(job.name, process, {
        connection: redis.workers,
        prefix: keys(redis.prefix).jobs,
        concurrency: config.get(job.settings.concurrency),
        lockDuration: Duration.toMillis(config.get(job.settings.lock)),
        stalledInterval: Duration.toMillis(config.get(job.settings.stall)),
        // A crash of the process says nothing about the job: only its own attempts count.
        maxStalledCount: 1000,
        runRetryDelay: 500,
        settings: {
          backoffStrategy: (attemptsMade, _type, error) => {
            const delays = config.get(job.settings.backoff)
            const scheduled = delays[Math.min(attemptsMade, delays.length) - 1] ?? Duration.zero
            return Duration.toMillis(
              error instanceof RetryLater ? Option.getOrElse(error.after, () => scheduled) : scheduled,
            )
          },
        },
      })
      worker.on("error", (error) =>
        fork(Effect.logDebug("job worker", error).pipe(Effect.annotateLogs({ queue: job.name }))),
      )
      worker.on("lockRenewalFailed", (ids) => {
        for (const id of ids) worker.cancelJob(id, "lock lost")
      })

      yield* config.watch(job.settings.concurrency).pipe(
        Stream.runForEach((concurrency) =>
          Effect.sync(() => {
            worker.concurrency = concurrency
          }),
        ),
        Effect.forkScoped,
      )
      yield* Effect.forkScoped(
        Effect.andThen(
          shutdown.begun,
          Effect.sync(() => void worker.close()),
        ),
      )
      yield* Effect.addFinalizer(() =>
        close(worker, shutdown, () => {
          for (const stop of running.values()) stop("handed back")
        }),
      )
    }),
  )

/** Waits for running jobs as long as the grace lasts, then hands them back to the queue. */
const close = (worker: Worker, shutdown: Shutdown["Service"], handBack: () => void) =>
  Effect.gen(function* () {
    const closed = Effect.promise(() => worker.close())
    const finished = yield* Effect.timeoutOption(closed, yield* shutdown.remaining)
    if (Option.isSome(finished)) return
    handBack()
    yield* Effect.timeoutOption(closed, cleanUpMillis * 3)
  })

type Verdict =
  | { readonly outcome: Exclude<Outcome, "defect">; readonly error?: Error }
  | { readonly outcome: "defect"; readonly error: Error; readonly cause: Cause.Cause<unknown> }

const judge = (
  exit: Exit.Exit<boolean, Retryable | Permanent>,
  stopped: Stop | undefined,
  budget: Duration.Duration,
  isTick: boolean,
): Verdict => {
  if (Exit.isSuccess(exit)) {
    if (exit.value || isTick) return { outcome: exit.value ? "done" : "overlapped" }
    return { outcome: "overlapped", error: new RetryLater("another run with the same key is still going") }
  }
  if (stopped === "handed back") return { outcome: "handed_back" }
  if (stopped === "lock lost") return { outcome: "cancelled", error: new RetryLater("the worker lost the job's lock") }
  if (stopped === "budget") {
    return { outcome: "retried", error: new RetryLater(`cut off after its budget of ${Duration.format(budget)}`) }
  }
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isSome(failure)) {
    return failure.value instanceof Retryable
      ? { outcome: "retried", error: new RetryLater(failure.value.reason, Option.fromUndefinedOr(failure.value.after)) }
      : { outcome: "failed", error: new UnrecoverableError(failure.value.reason) }
  }
  return { outcome: "defect", error: new RetryLater(`defect: ${Cause.squash(exit.cause)}`), cause: exit.cause }
}

const logDefect = (queue: string, id: string | undefined, cause: Cause.Cause<unknown>) =>
  Effect.logError("job died of a defect", cause).pipe(Effect.annotateLogs({ queue, job: id }))
