import { Clock, Effect, Layer, Stream } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { type Attempt, WebhooksDeliver, WebhooksDeliverSlow } from "#src/webhooks/contracts.ts"
import { Deliverer, type LaneName } from "#src/webhooks/delivery/Deliverer.ts"
import { DeliveryBatcher } from "#src/webhooks/delivery/DeliveryBatcher.ts"
import { senderLayer } from "#src/webhooks/delivery/Sender.ts"

const quick = jobWorker(WebhooksDeliver, (attempt) => Deliverer.use((deliverer) => deliverer.attempt("quick", attempt)))
const slow = jobWorker(WebhooksDeliverSlow, (attempt) =>
  Deliverer.use((deliverer) => deliverer.attempt("slow", attempt)),
)

/** Overdue attempts for slow hosts go to the slow lane, where they delay no others. */
const overdue = Stream.unwrap(
  Effect.gen(function* () {
    const store = yield* DeliveryBatcher
    const deliverer = yield* Deliverer
    const found: Record<LaneName, Array<Attempt>> = { quick: [], slow: [] }
    for (const attempt of yield* store.overdue(yield* Clock.currentTimeMillis))
      found[yield* deliverer.laneOf(attempt)].push({ delivery: attempt.delivery, attempt: attempt.attempt })
    yield* (yield* Jobs).enqueueAll(WebhooksDeliverSlow, found.slow)
    return Stream.fromIterable(found.quick)
  }),
)

/** Sends pending deliveries. */
export const webhooksDeliver = Layer.mergeAll(quick, slow, sweep(WebhooksDeliver, overdue)).pipe(
  Layer.provide(Deliverer.layer),
  Layer.provide(Layer.merge(DeliveryBatcher.layer, senderLayer)),
)
