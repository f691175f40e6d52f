import { Clock, Effect, Layer, Metric, Schedule } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { oldestAttempt } from "./ScoreStore.ts"

const age = Metric.gauge("presage_copy_pnl_age_seconds", {
  description:
    "Time since the followed wallet was scored or tried that waits longest; 0 where none is. Above copy-pnl.refresh, scores do not keep up",
})

export const measureAge = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const since = yield* oldestAttempt(reads)
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(age, Math.max(0, now - (since?.getTime() ?? now)) / 1000)
})

/** Reports the age of the oldest score of followed wallets as a metric. */
export const scoreAgeGauge = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(Effect.ignore(measureAge), Schedule.spaced("1 minute"))),
)
