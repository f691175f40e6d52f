import { Effect, Layer } from "effect"
import { duties } from "#schedulers/index.ts"
import { scoreAgeGauge } from "#src/copy-pnl/scoreAgeGauge.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { queueDepth } from "#src/mesh/queueDepth.ts"
import { sharedRunsGauge } from "#src/mesh/sharedRunsGauge.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { backlogMetrics } from "#src/webhooks/delivery/metrics.ts"
import { contracts } from "./contracts.ts"

/** A wiped Redis has no schedules until they are asserted again. */
const schedulesCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const jobs = yield* Jobs
    const missing = Effect.filter(
      duties,
      ({ name, job }) =>
        Effect.map(
          Effect.tryPromise({ try: () => jobs.queue(job).getJobScheduler(name), catch: String }),
          (found) => found === undefined,
        ),
      { concurrency: "unbounded" },
    )
    yield* health.register(
      "schedules",
      Effect.flatMap(missing, (lost) =>
        lost.length === 0
          ? Effect.succeed(`${duties.length} kept`)
          : Effect.fail(`missing in Redis: ${lost.map(({ name }) => name).join(", ")}`),
      ),
    )
  }),
)

/** Keeps the schedules of all duties, and reports queue metrics. */
export const scheduler = Layer.mergeAll(
  keepDuties(duties),
  queueDepth(contracts),
  backlogMetrics,
  scoreAgeGauge,
  sharedRunsGauge,
  schedulesCheck,
)
