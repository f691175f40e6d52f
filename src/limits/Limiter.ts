import { Clock, Context, Effect, Layer } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeOutage } from "#src/platform/redis/Outage.ts"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { LocalWindows } from "./LocalWindows.ts"
import { limitMetrics } from "./metrics.ts"
import { type Admission, type Bucket, LimiterAway } from "./model.ts"
import { limitsProcesses } from "./settings.ts"
import { askWindows, type Outcome, type WindowCall } from "./slidingWindow.ts"
import { type Group, Turns } from "./Turns.ts"
import { admissionsOf, type Buckets } from "./verdict.ts"

/** Local windows that are remembered; an owner has one per bucket. */
const mostLocal = 20_000

const probeBucket: Bucket = { name: "probe", limit: 1_000_000, windowMillis: 1000 }

/** Admits requests by true sliding windows that all processes share: never more than a limit in any stretch of its length. */
export class Limiter extends Context.Service<
  Limiter,
  {
    /** For what must not be given away: fails when Redis is away. A refused request consumes nothing. */
    readonly take: (owner: string, buckets: Buckets) => Effect.Effect<Admission, LimiterAway>
    /** For reads: while Redis is away this process decides alone, with its part of the limit. */
    readonly takeOrLocal: (owner: string, buckets: Buckets) => Effect.Effect<Admission>
    /** The same without an Effect, for those who are in a hurry. */
    readonly tellOrLocal: (owner: string, buckets: Buckets, tell: (admission: Admission) => void) => void
  }
>()("presage/limits/Limiter") {
  static readonly layer = Layer.effect(
    Limiter,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const redis = yield* Redis
  const clock = yield* Clock.Clock
  const metrics = limitMetrics(yield* Effect.context<never>())
  const key = keys(redis.prefix).limit
  /** Microseconds of a clock that never goes back, and what makes it the time of day. */
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1000n)
  const sinceEpoch = () => clock.currentTimeMillisUnsafe() * 1000 - now()
  const keysOf = (owner: string, buckets: Buckets) =>
    buckets.map(({ name, part, windowMillis }) =>
      key(owner, part === undefined ? name : `${name}:${part}`, windowMillis),
    )

  /** All that this process admitted, so that an outage does not hand out a second allowance. */
  const local = new LocalWindows(mostLocal)
  /** What it admitted without Redis, which is to be told when it is back. */
  const untold = new LocalWindows(mostLocal)

  /** Never rejects: a call that failed has its error as outcome. */
  const ask = (calls: ReadonlyArray<WindowCall>): Promise<ReadonlyArray<Outcome>> =>
    askWindows(redis.commands, calls).catch((error: Error) => calls.map(() => error))

  const probe = Effect.gen(function* () {
    const [verdict] = yield* redis.run(() =>
      ask([{ keys: keysOf("probe", [probeBucket]), buckets: [probeBucket], count: 1 }]),
    )
    if (verdict instanceof Error) return yield* new RedisFailure({ cause: verdict })
  })

  /** On the same connection before anything else, so that no request overtakes it. */
  const tellUntold = () => {
    const calls = untold
      .takeAll(now())
      .map(({ key, bucket, count }): WindowCall => ({ keys: [key], buckets: [bucket], count }))
    if (calls.length === 0) return
    const settle = (outcomes: ReadonlyArray<Outcome>) => {
      for (const [i, { keys, buckets, count }] of calls.entries()) {
        const outcome = outcomes[i]
        if (!(outcome instanceof Error)) continue
        untold.record(keys, buckets, count, now())
        outage.began(outcome.message)
      }
    }
    void ask(calls).then(settle)
  }

  const outage = yield* makeOutage({
    probe,
    onChange: (isAway) => {
      metrics.away(isAway)
      if (!isAway) tellUntold()
    },
    told: {
      away: "each process counts its own requests against the limits",
      back: "limits are counted in Redis again",
    },
  })

  const share = (bucket: Bucket): Bucket => {
    const processes = config.get(limitsProcesses)
    // A limit below the number of processes would otherwise admit nobody.
    return processes === 1
      ? bucket
      : { ...bucket, limit: Math.max(Math.min(1, bucket.limit), Math.floor(bucket.limit / processes)) }
  }

  const decideLocally = (owner: string, buckets: Buckets): Admission => {
    const names = keysOf(owner, buckets)
    const [first, ...others] = buckets
    const { admitted, places } = local.take(names, [share(first), ...others.map(share)], 1, now())
    if (admitted > 0) untold.record(names, buckets, 1, now())
    metrics.local(1)
    const dated = places.map(({ remaining, freeAt }) => ({ remaining, freeAt: freeAt + sinceEpoch() }))
    const admission = admissionsOf(buckets, { admitted, places: dated })(0)
    if (!admission.admitted) metrics.refused(admission.standing.bucket, 1)
    return admission
  }

  const answer = ({ buckets, waiting }: Group, call: WindowCall, outcome: Outcome | undefined) => {
    if (outcome === undefined || outcome instanceof Error) {
      for (const tell of waiting) tell(undefined)
      return
    }
    const admissionOf = admissionsOf(buckets, outcome)
    if (outcome.admitted > 0) local.record(call.keys, buckets, outcome.admitted, now())
    if (outcome.admitted < call.count)
      metrics.refused(admissionOf(call.count - 1).standing.bucket, call.count - outcome.admitted)
    waiting.forEach((tell, position) => {
      tell(admissionOf(position))
    })
  }

  const turns = new Turns((groups) => {
    const period = outage.period()
    const calls = groups.map(
      ({ owner, buckets, waiting }): WindowCall => ({ keys: keysOf(owner, buckets), buckets, count: waiting.length }),
    )
    const settle = (outcomes: ReadonlyArray<Outcome>) => {
      const failed = outcomes.find((outcome) => outcome instanceof Error)
      if (failed instanceof Error && period === outage.period()) outage.began(failed.message)
      groups.forEach((group, i) => {
        answer(group, calls[i] as WindowCall, outcomes[i])
      })
      // An answer that was lost in an outage that is over by now.
      if (failed !== undefined && outage.reason() === undefined) tellUntold()
    }
    void ask(calls).then(settle)
  })

  const tellOrLocal = (owner: string, buckets: Buckets, tell: (admission: Admission) => void) => {
    if (outage.reason() !== undefined) return tell(decideLocally(owner, buckets))
    turns.add(owner, buckets, (admission) => tell(admission ?? decideLocally(owner, buckets)))
  }

  return Limiter.of({
    tellOrLocal,
    take: (owner, buckets) =>
      Effect.callback<Admission, LimiterAway>((resume) => {
        const away = (reason: string) => resume(Effect.fail(new LimiterAway({ reason })))
        const reason = outage.reason()
        if (reason !== undefined) return away(reason)
        turns.add(owner, buckets, (admission) =>
          admission === undefined ? away(outage.reason() ?? "no answer from Redis") : resume(Effect.succeed(admission)),
        )
      }),
    takeOrLocal: (owner, buckets) =>
      Effect.callback<Admission>((resume) =>
        tellOrLocal(owner, buckets, (admission) => resume(Effect.succeed(admission))),
      ),
  })
})
