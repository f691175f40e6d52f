import { Effect, Layer } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { Deliveries } from "#src/webhooks/Deliveries.ts"
import { Resolver } from "#src/webhooks/delivery/Resolver.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import { Preview } from "#src/webhooks/Preview.ts"
import { SecretBox } from "#src/webhooks/SecretBox.ts"
import { Webhooks } from "#src/webhooks/Webhooks.ts"

/** Until deliveries have a layer of their own. */
const standIn = Layer.succeed(
  Deliveries,
  Deliveries.of({
    history: () => Effect.succeed([]),
    counts: () => Effect.die("not yet"),
    test: () => Effect.die("not yet"),
    redeliver: () => Effect.die("not yet"),
    replay: () => Effect.die("not yet"),
  }),
)

/** Webhooks and what is owed to them, for those who manage them. */
export const webhooks = Layer.merge(Webhooks.layer, standIn).pipe(
  Layer.provide(SecretBox.layer),
  Layer.provide(Targets.layer),
  Layer.provide(Resolver.layer),
)

/** What webhooks would have been told. */
export const previews = Layer.provide(Preview.layer, Enrichment.layer)
