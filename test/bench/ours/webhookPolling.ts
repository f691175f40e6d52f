import { Layer, ManagedRuntime } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { webhooksPoll } from "#actors/webhooksPoll.ts"
import { webhooks } from "#schedulers/webhooks.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"
import { expose } from "../support/expose.ts"
import { cpuUsage, type PollingSubject } from "../support/webhooks.ts"
import { configuration } from "./foundation.ts"

/** Only the webhook parts of a worker and a scheduler. */
const poll = webhooksPoll.pipe(Layer.provide(Polling.layer), Layer.provide(Enrichment.layer))
const runtime = ManagedRuntime.make(
  Layer.mergeAll(poll, webhooksDeliver, keepDuties(webhooks)).pipe(
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)

expose<PollingSubject>({
  work: async () => void (await runtime.context()),
  usage: async () => cpuUsage(),
})
