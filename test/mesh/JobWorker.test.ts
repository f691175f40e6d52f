import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Layer, Option, Ref, Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { type Handler, jobWorker } from "#src/mesh/JobWorker.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const Payload = Schema.Struct({ id: Schema.String })
type Payload = typeof Payload.Type

const testJob = (name: string, defaults: Job.JobDefaults = {}) =>
  Job.make({
    name,
    payload: Payload,
    key: ({ id }) => id,
    defaults: { backoff: ["10 millis"], stall: "500 millis", ...defaults },
  })

const jobs = {
  plain: testJob("t-plain"),
  retried: testJob("t-retried", { attempts: 3 }),
  requestedDelay: testJob("t-requested-delay", { attempts: 2, backoff: ["1 hour"] }),
  postponed: testJob("t-postponed", { attempts: 1, backoff: ["1 hour"] }),
  permanent: testJob("t-permanent"),
  defect: testJob("t-defect", { attempts: 2 }),
  budget: testJob("t-budget", { budget: "50 millis", attempts: 1 }),
  parked: testJob("t-parked"),
  deduplicated: testJob("t-deduplicated"),
  cancelled: testJob("t-cancelled", { attempts: 1 }),
  exclusive: Job.make({
    name: "t-exclusive",
    payload: Payload,
    key: () => "one",
    exclusive: true,
    defaults: { concurrency: 8, attempts: 1, backoff: ["10 millis"] },
  }),
  returned: testJob("t-returned"),
  failed: testJob("t-failed", { attempts: 3 }),
}

const settings = Object.values(jobs).flatMap((job) => Job.settingsOf(job))

layer(testFoundation({ "shutdown.grace": "100ms" }, settings), { excludeTestServices: true })("JobWorker", (it) => {
  /** Runs a worker during `test`. */
  const working = <R, A, E, R2>(job: Job.Job<Payload>, handler: Handler<Payload, R>, test: Effect.Effect<A, E, R2>) =>
    Effect.provide(test, jobWorker(job, handler))

  const failedReason = (job: Job.Job<Payload>) =>
    Effect.flatMap(Jobs, (service) =>
      Effect.promise(async () => (await service.queue(job).getFailed())[0]?.failedReason),
    )

  it.effect("copies its connection so that the copy connects by itself, and again after a failed attempt", () =>
    Effect.gen(function* () {
      const { workers } = yield* Redis
      const copy = yield* Effect.acquireRelease(
        Effect.sync(() => workers.duplicate()),
        (client) => Effect.sync(() => client.disconnect()),
      )
      yield* eventually(
        "the copy is connected",
        Effect.sync(() => copy.status === "ready"),
      )
    }),
  )

  it.effect("runs a job with its decoded payload, key and attempt", () =>
    Effect.gen(function* () {
      const seen = yield* Deferred.make<readonly [string, string, number]>()
      const service = yield* Jobs
      yield* working(
        jobs.plain,
        ({ id }, { key, attempt }) => Effect.asVoid(Deferred.succeed(seen, [id, key, attempt])),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.plain, { id: "a:1" })
          assert.deepStrictEqual(yield* Deferred.await(seen), ["a:1", "a:1", 1])
        }),
      )
    }),
  )

  it.effect("retries a retryable failure on the schedule until the attempts are used up", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const service = yield* Jobs
      yield* working(
        jobs.retried,
        () =>
          Effect.andThen(
            Ref.update(runs, (n) => n + 1),
            Effect.fail(new Job.Retryable({ reason: "busy" })),
          ),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.retried, { id: "1" })
          yield* eventually(
            "the job has failed",
            Effect.map(failedReason(jobs.retried), (reason) => reason === "busy"),
          )
          assert.strictEqual(yield* Ref.get(runs), 3)
        }),
      )
    }),
  )

  it.effect("uses the delay that the failure requests instead of the schedule's", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const service = yield* Jobs
      yield* working(
        jobs.requestedDelay,
        () =>
          Effect.flatMap(
            Ref.updateAndGet(runs, (n) => n + 1),
            (n) =>
              n === 1 ? Effect.fail(new Job.Retryable({ reason: "later", after: Duration.millis(5) })) : Effect.void,
          ),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.requestedDelay, { id: "1" })
          yield* eventually(
            "the second run",
            Effect.map(Ref.get(runs), (n) => n === 2),
          )
        }),
      )
    }),
  )

  it.effect("postpones a job for as long and as often as it asks, without using up an attempt", () =>
    Effect.gen(function* () {
      const attempts = yield* Ref.make<ReadonlyArray<number>>([])
      const service = yield* Jobs
      yield* working(
        jobs.postponed,
        (_, { attempt }) =>
          Effect.flatMap(
            Ref.updateAndGet(attempts, (seen) => [...seen, attempt]),
            (seen) => (seen.length < 4 ? Effect.fail(new Job.Postponed({ after: Duration.millis(5) })) : Effect.void),
          ),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.postponed, { id: "1" })
          yield* eventually(
            "the fourth run",
            Effect.map(Ref.get(attempts), (seen) => seen.length === 4),
          )
          assert.deepStrictEqual(yield* Ref.get(attempts), [1, 1, 1, 1])
        }),
      )
    }),
  )

  it.effect("ends a permanently failed job immediately and keeps the reason", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const service = yield* Jobs
      yield* working(
        jobs.permanent,
        () =>
          Effect.andThen(
            Ref.update(runs, (n) => n + 1),
            Effect.fail(new Job.Permanent({ reason: "no such wallet" })),
          ),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.permanent, { id: "1" })
          yield* eventually(
            "the job failed",
            Effect.map(failedReason(jobs.permanent), (reason) => reason === "no such wallet"),
          )
          assert.strictEqual(yield* Ref.get(runs), 1)
        }),
      )
    }),
  )

  it.effect("retries a defect and records that it was one", () =>
    Effect.gen(function* () {
      const service = yield* Jobs
      yield* working(
        jobs.defect,
        () => Effect.die(new Error("bug")),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.defect, { id: "1" })
          yield* eventually(
            "failed",
            Effect.map(failedReason(jobs.defect), (reason) => reason === "defect: Error: bug"),
          )
        }),
      )
    }),
  )

  it.effect("interrupts a run at its budget, even one that cannot be interrupted", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      const service = yield* Jobs
      yield* working(
        jobs.budget,
        () => Effect.uninterruptible(Deferred.await(release)),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.budget, { id: "1" })
          yield* eventually(
            "interrupted",
            Effect.map(failedReason(jobs.budget), (reason) => reason === "interrupted after its budget of 50ms"),
          )
          yield* Deferred.succeed(release, undefined)
        }),
      )
    }),
  )

  it.effect("parks a payload that does not decode, with the reason, without running it", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const service = yield* Jobs
      yield* working(
        jobs.parked,
        () => Ref.update(runs, (n) => n + 1),
        Effect.gen(function* () {
          yield* Effect.promise(() => service.queue(jobs.parked).add("t-parked", { id: 17 }, { attempts: 100 }))
          yield* eventually(
            "parked",
            Effect.map(failedReason(jobs.parked), (reason) => /does not decode.*string/is.test(reason ?? "")),
          )
          assert.strictEqual(yield* Ref.get(runs), 0)
        }),
      )
    }),
  )

  it.effect("treats jobs with one key as one job while the first is waiting, and as a new job after it is done", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const service = yield* Jobs
      yield* service.enqueueAll(jobs.deduplicated, [{ id: "1" }, { id: "1" }, { id: "2" }])
      yield* service.enqueue(jobs.deduplicated, { id: "1" })
      yield* working(
        jobs.deduplicated,
        () => Ref.update(runs, (n) => n + 1),
        Effect.gen(function* () {
          yield* eventually(
            "both keys ran",
            Effect.map(Ref.get(runs), (n) => n === 2),
          )
          yield* eventually(
            "the key is free again",
            Effect.andThen(
              service.enqueue(jobs.deduplicated, { id: "1" }),
              Effect.map(Ref.get(runs), (n) => n >= 3),
            ),
          )
        }),
      )
    }),
  )

  it.effect("interrupts the handler when the lock is lost, without failing the job for good", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const finished = yield* Deferred.make<void>()
      const runs = yield* Ref.make(0)
      const failures = yield* Ref.make<ReadonlyArray<string>>([])
      const redis = yield* Redis
      const service = yield* Jobs
      const handler: Handler<Payload, never> = () =>
        Effect.flatMap(
          Ref.updateAndGet(runs, (n) => n + 1),
          (run) =>
            run > 1
              ? Effect.asVoid(Deferred.succeed(finished, undefined))
              : Deferred.succeed(started, undefined).pipe(
                  Effect.andThen(Effect.never),
                  Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
                ),
        )
      const onFailed = (_: Payload, reason: string) => Ref.update(failures, (all) => [...all, reason])
      yield* Effect.gen(function* () {
        yield* service.enqueue(jobs.cancelled, { id: "1" })
        yield* Deferred.await(started)
        // As after a wiped Redis or a process that slept too long: the lock is gone.
        const queue = service.queue(jobs.cancelled)
        const [active] = yield* Effect.promise(() => queue.getActive())
        yield* redis.run((client) => client.del(queue.toKey(`${active?.id}:lock`)))
        yield* Deferred.await(interrupted)
        yield* Deferred.await(finished)
        yield* eventually(
          "the job is gone",
          Effect.map(
            Effect.promise(() => queue.getActiveCount()),
            (count) => count === 0,
          ),
        )
      }).pipe(Effect.provide(jobWorker(jobs.cancelled, handler, { onFailed })), Effect.timeout("2 minutes"))
      assert.deepStrictEqual(yield* Ref.get(failures), [])
    }),
  )

  it.effect("runs an exclusive key once at a time across workers and loses no job", () =>
    Effect.gen(function* () {
      const state = yield* Ref.make({ running: 0, maxRunning: 0, done: 0, epochs: [] as Array<bigint> })
      const service = yield* Jobs
      const handler: Handler<Payload, never> = (_, { lease }) =>
        Effect.gen(function* () {
          const epoch = Option.getOrThrow(lease).epoch
          yield* Ref.update(state, (s) => ({
            ...s,
            running: s.running + 1,
            maxRunning: Math.max(s.maxRunning, s.running + 1),
            epochs: [...s.epochs, epoch],
          }))
          yield* Effect.yieldNow
          yield* Ref.update(state, (s) => ({ ...s, running: s.running - 1, done: s.done + 1 }))
        })
      const workers = () => Layer.fresh(jobWorker(jobs.exclusive, handler))
      yield* Effect.gen(function* () {
        // Directly into the queue: enqueue would merge jobs with one key.
        yield* Effect.promise(() =>
          service.queue(jobs.exclusive).addBulk(
            Array.from({ length: 10 }, (_, i) => ({
              name: jobs.exclusive.name,
              data: { id: String(i) },
              opts: service.optionsOf(jobs.exclusive),
            })),
          ),
        )
        yield* eventually(
          "all ten ran",
          Effect.map(Ref.get(state), ({ done }) => done === 10),
          "40 seconds",
        )
      }).pipe(Effect.provide(workers()), Effect.provide(workers()))
      const { maxRunning, epochs } = yield* Ref.get(state)
      assert.strictEqual(maxRunning, 1)
      assert.strictEqual(new Set(epochs).size, 10)
    }),
  )

  it.effect("calls onFailed when a job fails for good, permanently or with its last attempt", () =>
    Effect.gen(function* () {
      const failures = yield* Ref.make<ReadonlyArray<string>>([])
      const service = yield* Jobs
      const onFailed = ({ id }: Payload, reason: string) => Ref.update(failures, (all) => [...all, `${id}: ${reason}`])
      const handler: Handler<Payload, never> = ({ id }) =>
        Effect.fail(id === "gone" ? new Job.Permanent({ reason: "no" }) : new Job.Retryable({ reason: "busy" }))
      yield* Effect.gen(function* () {
        yield* service.enqueueAll(jobs.failed, [{ id: "gone" }, { id: "late" }])
        yield* eventually(
          "both have failed",
          Effect.map(Ref.get(failures), (all) => all.length === 2),
        )
        assert.deepStrictEqual([...(yield* Ref.get(failures))].sort(), ["gone: no", "late: busy"])
      }).pipe(Effect.provide(jobWorker(jobs.failed, handler, { onFailed })))
    }),
  )

  it.effect("returns a job to the queue when the grace ends, without using up an attempt", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const second = yield* Deferred.make<number>()
      const service = yield* Jobs
      const shutdown = yield* Shutdown
      yield* working(
        jobs.returned,
        () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never),
        Effect.gen(function* () {
          yield* service.enqueue(jobs.returned, { id: "1" })
          yield* Deferred.await(started)
        }),
      )
      yield* working(
        jobs.returned,
        (_, { attempt }) => Effect.asVoid(Deferred.succeed(second, attempt)),
        Effect.gen(function* () {
          assert.strictEqual(yield* Deferred.await(second), 1)
        }),
      ).pipe(Effect.timeout("20 seconds"))
      assert.isTrue(Duration.toMillis(yield* shutdown.remaining) > 0)
    }),
  )
})
