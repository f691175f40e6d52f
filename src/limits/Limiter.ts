import { Clock, Context, Effect, Layer, Metric } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeCircuitBreaker } from "#src/platform/redis/CircuitBreaker.ts"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { LocalWindows } from "./LocalWindows.ts"
import {
  type Bucket,
  type Buckets,
  decisionsOf,
  type LimitDecision,
  LimiterUnavailable,
  type LimitStatus,
  statusOf,
} from "./model.ts"
import { RequestBatcher, type RequestGroup } from "./RequestBatcher.ts"
import { limitsProcesses } from "./settings.ts"
import { takeFromWindows, type WindowCall, type WindowResult } from "./slidingWindow.ts"

/** Local windows in memory; an owner has one per bucket. */
const localCapacity = 20_000

const probeBucket: Bucket = { name: "probe", limit: 1_000_000, windowMillis: 1000 }

/** Rate limiter with true sliding windows shared by all processes: no window ever admits more than its limit. */
export class Limiter extends Context.Service<
  Limiter,
  {
    /** Fails while Redis is unavailable. A refused request consumes nothing. */
    readonly take: (owner: string, buckets: Buckets) => Effect.Effect<LimitDecision, LimiterUnavailable>
    /** While Redis is unavailable, this process decides alone with its share of the limit. */
    readonly takeOrLocal: (owner: string, buckets: Buckets) => Effect.Effect<LimitDecision>
    /** State of each bucket; takes nothing. Fails while Redis is unavailable. */
    readonly peek: (owner: string, buckets: Buckets) => Effect.Effect<ReadonlyArray<LimitStatus>, LimiterUnavailable>
    /** `takeOrLocal` without an Effect, for the fast path. */
    readonly takeOrLocalUnsafe: (owner: string, buckets: Buckets, onDecision: (decision: LimitDecision) => void) => void
  }
>()("presage/limits/Limiter") {
  static readonly layer = Layer.effect(
    Limiter,
    Effect.suspend(() => make),
  )
}

const refused = (bucket: string) =>
  Metric.counter("presage_limits_refused_total", {
    description: "Requests refused because a bucket was full",
    incremental: true,
    attributes: { bucket },
  })
const local = Metric.counter("presage_limits_local_total", {
  description: "Requests decided by this process alone while Redis was unavailable",
  incremental: true,
})
const unavailable = Metric.gauge("presage_limits_redis_away", {
  description: "1 while this process cannot reach Redis for limits",
})

/** Updated without Effects, because they are on the path of every request. */
const limitMetrics = (context: Context.Context<never>) => ({
  refused: (bucket: string, count: number) => refused(bucket).updateUnsafe(count, context),
  local: (count: number) => local.updateUnsafe(count, context),
  unavailable: (isUnavailable: boolean) => unavailable.updateUnsafe(isUnavailable ? 1 : 0, context),
})

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const redis = yield* Redis
  const clock = yield* Clock.Clock
  const metrics = limitMetrics(yield* Effect.context<never>())
  const key = keys(redis.prefix).limit
  /** Monotonic microseconds, and the offset that turns them into the time of day. */
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1000n)
  const sinceEpoch = () => clock.currentTimeMillisUnsafe() * 1000 - now()
  const keysOf = (owner: string, buckets: Buckets) =>
    buckets.map(({ name, part, windowMillis }) =>
      key(owner, part === undefined ? name : `${name}:${part}`, windowMillis),
    )

  /** All admissions by this process, so that an outage does not grant a second allowance. */
  const local = new LocalWindows(localCapacity)
  /** Admissions without Redis, reported to it once it is back. */
  const unreported = new LocalWindows(localCapacity)

  /** Never rejects: the result of a failed call is its error. */
  const take = (calls: ReadonlyArray<WindowCall>): Promise<ReadonlyArray<WindowResult>> =>
    takeFromWindows(redis.commands, calls).catch((error: Error) => calls.map(() => error))

  const probe = Effect.gen(function* () {
    const [result] = yield* redis.run(() =>
      take([{ keys: keysOf("probe", [probeBucket]), buckets: [probeBucket], count: 1 }]),
    )
    if (result instanceof Error) return yield* new RedisFailure({ cause: result })
  })

  /** On the same connection and first, so that no request overtakes it. */
  const reportLocal = () => {
    const calls = unreported
      .takeAll(now())
      .map(({ key, bucket, count }): WindowCall => ({ keys: [key], buckets: [bucket], count }))
    if (calls.length === 0) return
    const settle = (results: ReadonlyArray<WindowResult>) => {
      for (const [i, { keys, buckets, count }] of calls.entries()) {
        const result = results[i]
        if (!(result instanceof Error)) continue
        unreported.record(keys, buckets, count, now())
        breaker.trip(result.message)
      }
    }
    void take(calls).then(settle)
  }

  const breaker = yield* makeCircuitBreaker({
    probe,
    onChange: (isUnavailable) => {
      metrics.unavailable(isUnavailable)
      if (!isUnavailable) reportLocal()
    },
    messages: {
      unavailable: "each process counts its own requests against the limits",
      recovered: "limits are counted in Redis again",
    },
  })

  // Alerts need the metric from the start.
  metrics.unavailable(false)

  const share = (bucket: Bucket): Bucket => {
    const processes = config.get(limitsProcesses)
    // A limit below the number of processes would otherwise admit nothing.
    return processes === 1
      ? bucket
      : { ...bucket, limit: Math.max(Math.min(1, bucket.limit), Math.floor(bucket.limit / processes)) }
  }

  const decideLocally = (owner: string, buckets: Buckets): LimitDecision => {
    const names = keysOf(owner, buckets)
    const [first, ...others] = buckets
    const { admitted, states } = local.take(names, [share(first), ...others.map(share)], 1, now())
    if (admitted > 0) unreported.record(names, buckets, 1, now())
    metrics.local(1)
    const dated = states.map(({ remaining, freeAt }) => ({ remaining, freeAt: freeAt + sinceEpoch() }))
    const decision = decisionsOf(buckets, { admitted, states: dated })(0)
    if (!decision.admitted) metrics.refused(decision.status.bucket, 1)
    return decision
  }

  const answer = ({ buckets, waiting }: RequestGroup, call: WindowCall, result: WindowResult | undefined) => {
    if (result === undefined || result instanceof Error) {
      for (const onDecision of waiting) onDecision(undefined)
      return
    }
    const decisionAt = decisionsOf(buckets, result)
    if (result.admitted > 0) local.record(call.keys, buckets, result.admitted, now())
    if (result.admitted < call.count)
      metrics.refused(decisionAt(call.count - 1).status.bucket, call.count - result.admitted)
    waiting.forEach((onDecision, position) => {
      onDecision(decisionAt(position))
    })
  }

  const batcher = new RequestBatcher((groups) => {
    const generation = breaker.generation()
    const calls = groups.map(
      ({ owner, buckets, waiting }): WindowCall => ({ keys: keysOf(owner, buckets), buckets, count: waiting.length }),
    )
    const settle = (results: ReadonlyArray<WindowResult>) => {
      const failed = results.find((result) => result instanceof Error)
      if (failed instanceof Error && generation === breaker.generation()) breaker.trip(failed.message)
      groups.forEach((group, i) => {
        answer(group, calls[i] as WindowCall, results[i])
      })
      // The reply was lost in an outage that has ended by now.
      if (failed !== undefined && breaker.reason() === undefined) reportLocal()
    }
    void take(calls).then(settle)
  })

  const takeOrLocalUnsafe = (owner: string, buckets: Buckets, onDecision: (decision: LimitDecision) => void) => {
    if (breaker.reason() !== undefined) return onDecision(decideLocally(owner, buckets))
    batcher.add(owner, buckets, (decision) => onDecision(decision ?? decideLocally(owner, buckets)))
  }

  return Limiter.of({
    takeOrLocalUnsafe,
    take: (owner, buckets) =>
      Effect.callback<LimitDecision, LimiterUnavailable>((resume) => {
        const fail = (reason: string) => resume(Effect.fail(new LimiterUnavailable({ reason })))
        const reason = breaker.reason()
        if (reason !== undefined) return fail(reason)
        batcher.add(owner, buckets, (decision) =>
          decision === undefined ? fail(breaker.reason() ?? "no answer from Redis") : resume(Effect.succeed(decision)),
        )
      }),
    peek: Effect.fnUntraced(function* (owner, buckets) {
      const fail = (reason: string) => new LimiterUnavailable({ reason })
      const reading = redis.run(() => take([{ keys: keysOf(owner, buckets), buckets, count: 0 }]))
      const [result] = yield* Effect.mapError(reading, (error) => fail(error.message))
      if (result === undefined || result instanceof Error) return yield* fail(result?.message ?? "no answer from Redis")
      return result.states.flatMap((state, i) => {
        const bucket = buckets[i]
        return bucket === undefined ? [] : statusOf(bucket, state)
      })
    }),
    takeOrLocal: (owner, buckets) =>
      Effect.callback<LimitDecision>((resume) =>
        takeOrLocalUnsafe(owner, buckets, (decision) => resume(Effect.succeed(decision))),
      ),
  })
})
