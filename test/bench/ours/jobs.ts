import { Duration, Effect, Layer, Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { batchesOf } from "../support/batches.ts"
import { expose } from "../support/expose.ts"
import { batch, concurrency, type JobsSubject, type Payload, payloadsOf, stopwatch } from "../support/jobs.ts"
import { foundationRuntime } from "./foundation.ts"

const Deliver = Job.make<Payload>({
  name: "bench-ours",
  payload: Schema.Struct({ deliveryId: Schema.String, endpoint: Schema.String, sequence: Schema.Int }),
  key: ({ deliveryId }) => deliveryId,
  defaults: { concurrency },
})

const runtime = foundationRuntime(Job.settingsOf(Deliver))
await runtime.context()
let round = 0

expose<JobsSubject>({
  add: (count) => {
    const batches = batchesOf(payloadsOf(count, ++round), batch)
    const adding = Jobs.use((jobs) =>
      Effect.forEach(batches, (each) => jobs.enqueueAll(Deliver, each), { discard: true }),
    )
    return runtime.runPromise(Effect.map(Effect.timed(adding), ([took]) => count / Duration.toSeconds(took)))
  },
  work: (count) => {
    const { tick, finished } = stopwatch(count)
    const worker = jobWorker(Deliver, () => Effect.sync(tick))
    return runtime.runPromise(
      Effect.scoped(
        Effect.andThen(
          Layer.build(worker),
          Effect.promise(() => finished),
        ),
      ),
    )
  },
})
