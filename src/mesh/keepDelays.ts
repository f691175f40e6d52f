import { Clock, Effect, Layer, Schedule } from "effect"
import { fromRedis, Redis } from "#src/platform/redis/Redis.ts"
import type { Job } from "./Job.ts"
import { Jobs } from "./Jobs.ts"
import { skewMillis } from "./keepDuties.ts"

/** Jobs of a queue that are checked at a time, the most distant ones first. The next time continues behind them. */
const page = 200

/** BullMQ sorts delayed jobs by the millisecond at which they are due, times this, plus a counter. */
const scorePerMilli = 0x1000

/** Ticks of duties belong to their schedule, see `keepDuties`. */
const isTick = (id: string) => id.startsWith("repeat:")

/**
 * Moves jobs back that were delayed while the clock of a process was ahead: a job is never further away than its delay. An
 * equal job would not be enqueued beside it.
 */
export const keepDelays = (contracts: ReadonlyArray<Pick<Job<never>, "name">>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const redis = yield* Redis
      const offsets = new Map<string, number>()
      const moveBack = Effect.fnUntraced(function* (job: Pick<Job<never>, "name">) {
        const queue = jobs.queue(job)
        const offset = offsets.get(job.name) ?? 0
        const now = yield* Clock.currentTimeMillis
        const least = String((now + skewMillis) * scorePerMilli)
        const pairs = yield* redis.run((client) =>
          client.zrevrangebyscore(queue.toKey("delayed"), "+inf", least, "WITHSCORES", "LIMIT", offset, page),
        )
        let moved = 0
        for (let at = 0; at + 1 < pairs.length; at += 2) {
          const [id = "", score] = [pairs[at], Number(pairs[at + 1])]
          const found = isTick(id) ? undefined : yield* fromRedis(() => queue.getJob(id))
          if (found === undefined || score / scorePerMilli <= now + found.delay + skewMillis) continue
          yield* fromRedis(() => found.changeDelay(found.delay))
          moved++
        }
        const checked = pairs.length / 2
        offsets.set(job.name, checked < page ? 0 : offset + checked - moved)
        if (moved > 0)
          yield* Effect.logWarning(`${moved} delayed jobs of ${job.name} were further away than their delay`)
      })
      const once = Effect.forEach(contracts, (job) => Effect.ignore(moveBack(job)), { discard: true })
      yield* Effect.forkScoped(Effect.repeat(once, Schedule.spaced("10 seconds")))
    }),
  )
