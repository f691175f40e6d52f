import { type Job as BullJob, DelayedError, UnrecoverableError, WaitingError, Worker } from "bullmq"
import { type Context, Duration, Effect, Exit, Layer, Option, Result, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { traced } from "#src/platform/telemetry/Sampling.ts"
import { exclusively } from "./exclusively.ts"
import type { Job } from "./Job.ts"
import { jobMetrics } from "./JobMetrics.ts"
import { type JobFailure, type JobOutcome, outcomeOf, type StopReason, waitBefore } from "./jobOutcome.ts"
import { keys } from "./Keys.ts"
import { type Lease, Leases } from "./Lease.ts"

/** What a handler knows about the run besides its payload. */
export interface JobRun {
  readonly key: string
  /** 1 for the first run. */
  readonly attempt: number
  /** For a tick of a duty: the scheduled time in milliseconds. */
  readonly slot: Option.Option<number>
  /** For an exclusive job: fences its writes against a predecessor that has been replaced. */
  readonly lease: Option.Option<Lease>
}

export type Handler<P, R> = (payload: P, run: JobRun) => Effect.Effect<void, JobFailure, R>

export interface JobWorkerOptions<P, R> {
  /**
   * Runs when a job fails for good, by a permanent failure or with its last attempt. Where the work is a row in Postgres,
   * this marks the row, so that `sweep` does not enqueue it again.
   */
  readonly onFailed?: (payload: P, reason: string) => Effect.Effect<void, never, R>
}

/** Time that an interrupted handler has to clean up before the next job takes its slot. */
const cleanUpMillis = 1000

/** The id of a scheduler's job ends in its scheduled millisecond. */
const slotOf = (bull: BullJob): Option.Option<number> =>
  bull.repeatJobKey === undefined ? Option.none() : Option.some(Number(bull.id?.split(":").at(-1)))

/** Runs the jobs of one queue. Each is a fiber, interrupted at its budget, on a lost lock, or when the grace ends. */
export const jobWorker = <P, R = never>(job: Job<P>, handler: Handler<P, R>, options: JobWorkerOptions<P, R> = {}) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const redis = yield* Redis
      const config = yield* Configuration
      const shutdown = yield* Shutdown
      const leases = yield* Leases
      const context = yield* Effect.context<R>()
      const fork = Effect.runForkWith(context)
      const metrics = jobMetrics(job.name, context as Context.Context<never>)
      const running = new Map<string, (why: StopReason) => void>()

      const perform = (payload: P, run: JobRun, duty: string | undefined) => {
        const once = (lease: Option.Option<Lease>) => handler(payload, { ...run, lease })
        // Ticks of one duty never overlap, and neither do exclusive jobs of one key.
        const alone = job.exclusive ? `job:${job.name}:${run.key}` : duty === undefined ? undefined : `duty:${duty}`
        const work =
          alone === undefined
            ? Effect.as(once(Option.none()), true)
            : exclusively(leases, alone, config.get(job.settings.lock), once)
        return traced(`job ${job.name}`, () => ({ "job.key": run.key, "job.attempt": run.attempt }), work)
      }

      const fail = (bull: BullJob, payload: P, { status, error }: JobOutcome): Promise<void> => {
        const last = status === "failed" || bull.attemptsMade + 1 >= (bull.opts.attempts ?? 1)
        // A cancelled run has lost its lock: another worker has the job now.
        if (error === undefined || !last || status === "cancelled" || options.onFailed === undefined)
          return Promise.resolve()
        return Effect.runPromiseWith(context)(options.onFailed(payload, error.message))
      }

      /** Reports the outcome to BullMQ; the processor returns this promise. */
      const conclude = async (bull: BullJob, token: string | undefined, payload: P, outcome: JobOutcome) => {
        if (outcome.status === "handed_back") {
          await bull.moveToWait(token)
          throw new WaitingError()
        }
        if (outcome.postponed !== undefined) {
          const wait = Option.getOrElse(outcome.postponed, () =>
            waitBefore(config.get(job.settings.backoff), 1, undefined),
          )
          await bull.moveToDelayed(Date.now() + Duration.toMillis(wait), token)
          throw new DelayedError()
        }
        if (outcome.error === undefined) return
        await fail(bull, payload, outcome)
        throw outcome.error
      }

      /** Starts the fiber of one run and reports its outcome in time, even if the fiber does not end. */
      const run = (bull: BullJob, token: string | undefined, payload: P) =>
        new Promise<void>((resolve, reject) => {
          const startedAt = performance.now()
          const id = bull.id ?? ""
          const slot = slotOf(bull)
          const budget = config.get(job.settings.budget)
          if (Option.isSome(slot)) metrics.late(Date.now() - slot.value)

          let stopped: StopReason | undefined
          let settled = false
          const settle = (exit: Exit.Exit<boolean, JobFailure>) => {
            if (settled) return
            settled = true
            clearTimeout(timer)
            if (running.get(id) === stop) running.delete(id)
            const outcome = outcomeOf(exit, { stop: stopped, budget, isTick: Option.isSome(slot) })
            metrics.ran(outcome.status, startedAt)
            if (outcome.status === "done") return resolve()
            if (outcome.status === "defect" && Exit.isFailure(exit)) {
              report(Effect.logError("job failed with a defect", exit.cause), bull)
            }
            conclude(bull, token, payload, outcome).then(resolve, reject)
          }
          const stop = (why: StopReason) => {
            if (settled || stopped !== undefined) return
            stopped = why
            fiber.interruptUnsafe()
            clearTimeout(timer)
            timer = setTimeout(() => settle(Exit.interrupt()), cleanUpMillis)
          }

          // When this worker receives its own stalled job again, BullMQ forgets the first run: stop it here.
          running.get(id)?.("lock lost")
          running.set(id, stop)
          let timer = setTimeout(() => stop("budget"), Duration.toMillis(budget))
          const fiber = fork(
            perform(
              payload,
              { key: job.key(payload), attempt: bull.attemptsMade + 1, slot, lease: Option.none() },
              bull.repeatJobKey,
            ),
          )
          fiber.addObserver(settle)
        })

      // Only two declared parameters: for a third one BullMQ creates an abort signal per job.
      const process = (bull: BullJob, token: string | undefined) => {
        const decoded = job.decode(bull.data)
        if (Result.isSuccess(decoded)) return run(bull, token, decoded.success)
        metrics.ran("parked", performance.now())
        report(Effect.logWarning(`job parked: ${decoded.failure}`), bull)
        return Promise.reject(new UnrecoverableError(decoded.failure))
      }

      const report = (line: Effect.Effect<void>, bull?: BullJob) =>
        fork(Effect.annotateLogs(line, { queue: job.name, ...(bull === undefined ? {} : { job: bull.id }) }))

      const worker = new Worker(job.name, process, {
        connection: redis.workers,
        prefix: keys(redis.prefix).jobs,
        concurrency: config.get(job.settings.concurrency),
        lockDuration: Duration.toMillis(config.get(job.settings.lock)),
        stalledInterval: Duration.toMillis(config.get(job.settings.stall)),
        // A crash of the process does not count as an attempt.
        maxStalledCount: 1000,
        runRetryDelay: 500,
        settings: {
          backoffStrategy: (attemptsMade, _type, error) =>
            Duration.toMillis(waitBefore(config.get(job.settings.backoff), attemptsMade, error)),
        },
      })
      worker.on("error", (error) => report(Effect.logDebug("job worker", error)))
      worker.on("lockRenewalFailed", (ids) => {
        for (const id of ids) running.get(id)?.("lock lost")
      })

      yield* config.watch(job.settings.concurrency).pipe(
        Stream.runForEach((concurrency) =>
          Effect.sync(() => {
            const more = concurrency > worker.concurrency
            worker.concurrency = concurrency
            // A worker whose slots are all busy notices only when a job ends; resuming wakes it.
            if (more && worker.closing === undefined) void worker.pause(true).then(() => worker.resume())
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

/** Waits for running jobs until the grace ends, then returns them to the queue. */
const close = (worker: Worker, shutdown: Shutdown["Service"], handBack: () => void) =>
  Effect.gen(function* () {
    const closed = Effect.promise(() => worker.close())
    const finished = yield* Effect.timeoutOption(closed, yield* shutdown.remaining)
    if (Option.isSome(finished)) return
    handBack()
    yield* Effect.timeoutOption(closed, cleanUpMillis * 3)
  })
