import { Layer, ManagedRuntime } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { webhooksPoll } from "#actors/webhooksPoll.ts"
import { webhooks } from "#schedulers/webhooks.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"
import { answerAs } from "../support/answerAs.ts"
import { type PollingSubject, used } from "../support/webhooks.ts"
import { configuration } from "./foundation.ts"

/** What a worker and a scheduler do for webhooks, and nothing else of theirs. */
const poll = webhooksPoll.pipe(Layer.provide(Polling.layer), Layer.provide(Enrichment.layer))
const runtime = ManagedRuntime.make(
  Layer.mergeAll(poll, webhooksDeliver, keepDuties(webhooks)).pipe(
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)

answerAs<PollingSubject>({
  work: async () => void (await runtime.context()),
  use: async () => used(),
})
