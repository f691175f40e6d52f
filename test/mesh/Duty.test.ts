import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Option, Ref, Schema, Stream } from "effect"
import * as Duty from "#src/mesh/Duty.ts"
import * as Job from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { keepDelays } from "#src/mesh/keepDelays.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const Tick = Job.make({ name: "t-tick", payload: Schema.Struct({}), key: () => "all" })
const Shared = Job.make({
  name: "t-shared",
  payload: Schema.Struct({ who: Schema.String }),
  key: ({ who }) => who,
  defaults: { concurrency: 8 },
})
const shared = ["a", "b"].map((who) =>
  Duty.make({ name: `t-shared-${who}`, job: Shared, payload: { who }, every: "100 millis" }),
)
const duty = Duty.make({ name: "t-duty", job: Tick, payload: {}, every: "200 millis" })
const DueJob = Job.make({
  name: "t-due",
  payload: Schema.Struct({ id: Schema.Number }),
  key: ({ id }) => `due-${id}`,
})

const settings = [
  duty.every,
  ...shared.map((each) => each.every),
  ...Job.settingsOf(Shared),
  ...Job.settingsOf(Tick),
  ...Job.settingsOf(DueJob),
]

layer(testFoundation({ "sweep.every": "100ms" }, settings), { excludeTestServices: true })(
  "Duties and sweeps",
  (it) => {
    const wipe = Effect.flatMap(Redis, (redis) =>
      redis.run(async (client) => {
        const found = await client.keys(`${redis.prefix}:*`)
        return found.length === 0 ? 0 : client.del(...found)
      }),
    )

    it.effect("ticks on its cadence, once per slot", () =>
      Effect.gen(function* () {
        const slots = yield* Ref.make<ReadonlyArray<number>>([])
        const handler = jobWorker(Tick, (_, { slot }) => Ref.update(slots, (all) => [...all, Option.getOrThrow(slot)]))
        yield* eventually(
          "six ticks",
          Effect.map(Ref.get(slots), (all) => all.length >= 6),
        ).pipe(Effect.provide(Layer.merge(handler, keepDuties([duty]))))
        const all = yield* Ref.get(slots)
        assert.strictEqual(new Set(all).size, all.length)
        assert.isTrue(all.every((slot, i) => i === 0 || (slot - (all[i - 1] ?? 0)) % 200 === 0))
      }),
    )

    it.effect("asserting a schedule again changes nothing; a tuned cadence replaces it", () =>
      Effect.gen(function* () {
        const jobs = yield* Jobs
        const config = yield* Configuration
        const scheduler = Effect.promise(() => jobs.queue(Tick).getJobScheduler(duty.name))
        yield* wipe
        yield* config.applyOverrides(new Map([[duty.every.name, "1h"]]))
        const asserted = eventually(
          "asserted",
          Effect.map(scheduler, (found) => found?.every === 3_600_000),
        )
        const first = yield* Effect.andThen(asserted, scheduler).pipe(Effect.provide(keepDuties([duty])))
        const again = yield* Effect.andThen(asserted, scheduler).pipe(Effect.provide(keepDuties([duty])))
        assert.strictEqual(again?.next, first?.next)
        yield* Effect.andThen(
          config.applyOverrides(new Map([[duty.every.name, "2h"]])),
          eventually(
            "tuned",
            Effect.map(scheduler, (found) => found?.every === 7_200_000),
          ),
        ).pipe(Effect.provide(keepDuties([duty])))
      }),
    )

    it.effect("a clock that was a day ahead for a moment does not stop the ticks until tomorrow", () =>
      Effect.gen(function* () {
        const jobs = yield* Jobs
        const config = yield* Configuration
        const ticks = yield* Ref.make(0)
        const queue = jobs.queue(Tick)
        yield* wipe
        yield* config.applyOverrides(new Map([[duty.every.name, "200ms"]]))
        // BullMQ computes the next tick with the clock of its process; `startDate` leaves what a clock ahead would have left.
        const tomorrow = Date.now() + 86_400_000
        yield* Effect.promise(() =>
          queue.upsertJobScheduler(
            duty.name,
            { every: 200, startDate: tomorrow },
            { name: Tick.name, data: {}, opts: jobs.optionsOf(Tick) },
          ),
        )
        const found = yield* Effect.promise(() => queue.getJobScheduler(duty.name))
        assert.isAtLeast(found?.next ?? 0, tomorrow)
        const handler = jobWorker(Tick, () => Ref.update(ticks, (count) => count + 1))
        yield* eventually(
          "three ticks today",
          Effect.map(Ref.get(ticks), (count) => count >= 3),
        ).pipe(Effect.provide(Layer.merge(handler, keepDuties([duty]))))
        assert.strictEqual(
          yield* Effect.promise(() => queue.getDelayedCount()).pipe(Effect.map((count) => count > 1)),
          false,
        )
      }),
    )

    it.effect("a job that was delayed while the clock was a day ahead does not wait until tomorrow", () =>
      Effect.gen(function* () {
        const jobs = yield* Jobs
        const redis = yield* Redis
        const done = yield* Ref.make<ReadonlyArray<number>>([])
        const delayed = jobs.queue(DueJob).toKey("delayed")
        yield* wipe
        for (const id of [1, 2]) yield* jobs.enqueue(DueJob, { id }, { delay: Duration.seconds(id === 1 ? 1 : 86_400) })
        yield* redis.run(async (client) => {
          const [first = ""] = await client.zrange(delayed, 0, "0")
          await client.zincrby(delayed, 86_400_000 * 0x1000, first)
        })
        const handler = jobWorker(DueJob, ({ id }) => Ref.update(done, (all) => [...all, id]))
        yield* eventually(
          "the job is done today",
          Effect.map(Ref.get(done), (all) => all.length > 0),
        ).pipe(Effect.provide(Layer.merge(handler, keepDelays([DueJob]))))
        // The other one was meant to wait for a day.
        assert.deepStrictEqual(yield* Ref.get(done), [1])
        assert.strictEqual(yield* Effect.promise(() => jobs.queue(DueJob).getDelayedCount()), 1)
      }),
    )

    it.effect("two duties on one job both tick, and a tick that outlasts its cadence never overlaps the next", () =>
      Effect.gen(function* () {
        const state = yield* Ref.make({ active: { a: 0, b: 0 }, maxActive: 0, done: { a: 0, b: 0 } })
        const change = (who: "a" | "b", by: number) =>
          Ref.update(state, ({ active, maxActive, done }) => ({
            active: { ...active, [who]: active[who] + by },
            maxActive: Math.max(maxActive, active[who] + by),
            done: by < 0 ? { ...done, [who]: done[who] + 1 } : done,
          }))
        const handler = jobWorker(Shared, ({ who }) => {
          const name = who === "a" ? "a" : "b"
          return change(name, 1).pipe(Effect.andThen(Effect.sleep("350 millis")), Effect.andThen(change(name, -1)))
        })
        yield* eventually(
          "both ran four times",
          Effect.map(Ref.get(state), ({ done }) => done.a >= 4 && done.b >= 4),
        ).pipe(Effect.provide(Layer.merge(handler, keepDuties(shared))))
        assert.strictEqual((yield* Ref.get(state)).maxActive, 1)
      }),
    )

    it.effect("a wiped Redis loses no due work: the sweep enqueues it again", () =>
      Effect.gen(function* () {
        const done = yield* Ref.make<ReadonlySet<number>>(new Set())
        const jobs = yield* Jobs
        const ids = Array.from({ length: 50 }, (_, id) => ({ id }))
        const due = Stream.unwrap(
          Effect.map(Ref.get(done), (finished) => Stream.fromIterable(ids.filter(({ id }) => !finished.has(id)))),
        )
        yield* jobs.enqueueAll(DueJob, ids)
        yield* wipe
        assert.strictEqual(yield* Effect.promise(() => jobs.queue(DueJob).count()), 0)
        yield* eventually(
          "all fifty done",
          Effect.map(Ref.get(done), (finished) => finished.size === 50),
        ).pipe(
          Effect.provide(
            Layer.merge(
              jobWorker(DueJob, ({ id }) => Ref.update(done, (finished) => new Set([...finished, id]))),
              sweep(DueJob, due),
            ),
          ),
        )
      }),
    )
  },
)
