import { Clock, Effect, Layer, Stream } from "effect"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { WebhooksDeliver, WebhooksDeliverSlow } from "#src/webhooks/contracts.ts"
import { Deliverer } from "#src/webhooks/delivery/Deliverer.ts"
import { DeliveryStore } from "#src/webhooks/delivery/DeliveryStore.ts"
import { sending } from "#src/webhooks/delivery/sending.ts"

const quick = jobWorker(WebhooksDeliver, (asked) => Deliverer.use((deliverer) => deliverer.attempt("quick", asked)))
const slow = jobWorker(WebhooksDeliverSlow, (asked) => Deliverer.use((deliverer) => deliverer.attempt("slow", asked)))

const overdue = Stream.unwrap(
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    return Stream.fromIterable(yield* store.overdue(yield* Clock.currentTimeMillis))
  }),
)

/** Sends what is owed to webhooks. */
export const webhooksDeliver = Layer.mergeAll(quick, slow, sweep(WebhooksDeliver, overdue)).pipe(
  Layer.provide(Deliverer.layer),
  Layer.provide(Layer.merge(DeliveryStore.layer, sending)),
)
