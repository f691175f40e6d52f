import { Layer } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { sending } from "#src/webhooks/delivery/sending.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"

/** Webhooks and what is owed to them, for those who manage them. */
export const webhooks = Layer.merge(Webhooks.layer, Deliveries.layer).pipe(Layer.provide(sending))

/** What webhooks would have been told. */
export const previews = Layer.provide(Preview.layer, Enrichment.layer)
