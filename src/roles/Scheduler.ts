import { Effect, Layer } from "effect"
import { duties } from "#schedulers/index.ts"
import { scoreAgeGauge } from "#src/copy-pnl/scoreAgeGauge.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keepDelays } from "#src/mesh/keepDelays.ts"
import { keepDuties, scheduleProblem } from "#src/mesh/keepDuties.ts"
import { queueDepth } from "#src/mesh/queueDepth.ts"
import { sharedRunsGauge } from "#src/mesh/sharedRunsGauge.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { backlogMetrics } from "#src/webhooks/delivery/metrics.ts"
import { contracts } from "./contracts.ts"

/** A wiped Redis has no schedules until they are asserted again; those of a clock that was ahead do not tick. */
const schedulesCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const config = yield* Configuration
    const jobs = yield* Jobs
    const problems = Effect.forEach(
      duties,
      (duty) =>
        Effect.map(scheduleProblem(duty, config.get(duty.every)), (problem) =>
          problem === undefined ? [] : [`${duty.name} is ${problem}`],
        ),
      { concurrency: "unbounded" },
    ).pipe(
      Effect.map((found) => found.flat()),
      Effect.mapError((error) => error.message),
      Effect.provideService(Jobs, jobs),
    )
    yield* health.register(
      "schedules",
      Effect.flatMap(problems, (found) =>
        found.length === 0 ? Effect.succeed(`${duties.length} kept`) : Effect.fail(`in Redis, ${found.join(", ")}`),
      ),
    )
  }),
)

/** Keeps the schedules of all duties, and reports queue metrics. */
export const scheduler = Layer.mergeAll(
  keepDuties(duties),
  keepDelays(contracts),
  queueDepth(contracts),
  backlogMetrics,
  scoreAgeGauge,
  sharedRunsGauge,
  schedulesCheck,
)
