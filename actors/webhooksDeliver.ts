import { Clock, Effect, Layer, Stream } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { type Attempt, WebhooksDeliver, WebhooksDeliverSlow } from "#src/webhooks/contracts.ts"
import { Deliverer, type LaneName } from "#src/webhooks/delivery/Deliverer.ts"
import { DeliveryStore } from "#src/webhooks/delivery/DeliveryStore.ts"
import { sending } from "#src/webhooks/delivery/sending.ts"

const quick = jobWorker(WebhooksDeliver, (asked) => Deliverer.use((deliverer) => deliverer.attempt("quick", asked)))
const slow = jobWorker(WebhooksDeliverSlow, (asked) => Deliverer.use((deliverer) => deliverer.attempt("slow", asked)))

/** What is overdue for a host that is slow waits in the slow lane, most likely: there it costs the others nothing. */
const overdue = Stream.unwrap(
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const deliverer = yield* Deliverer
    const found: Record<LaneName, Array<Attempt>> = { quick: [], slow: [] }
    for (const owed of yield* store.overdue(yield* Clock.currentTimeMillis))
      found[yield* deliverer.laneOf(owed)].push({ delivery: owed.delivery, attempt: owed.attempt })
    yield* (yield* Jobs).enqueueAll(WebhooksDeliverSlow, found.slow)
    return Stream.fromIterable(found.quick)
  }),
)

/** Sends what is owed to webhooks. */
export const webhooksDeliver = Layer.mergeAll(quick, slow, sweep(WebhooksDeliver, overdue)).pipe(
  Layer.provide(Deliverer.layer),
  Layer.provide(Layer.merge(DeliveryStore.layer, sending)),
)
