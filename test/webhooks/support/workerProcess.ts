// A worker and a scheduler for webhooks only. `WORKER_PARTS` may leave parts out; `WORKER_CRASH` lets it die when
// deliveries are written but not enqueued, or when they have just been enqueued.
import { Effect, Layer } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { webhooksPoll } from "#actors/webhooksPoll.ts"
import { webhooks } from "#schedulers/webhooks.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"
import { runEntry } from "#test/support/processes/entry.ts"

const crash = process.env["WORKER_CRASH"]
const parts = (process.env["WORKER_PARTS"] ?? "poll,deliver").split(",")

const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))

const fragile = Layer.effect(
  Jobs,
  Effect.map(Jobs, (jobs) =>
    Jobs.of({
      ...jobs,
      enqueueAll: (job, payloads) => {
        const enqueued = jobs.enqueueAll(job, payloads)
        if (job.name !== WebhooksDeliver.name) return enqueued
        return crash === "before-enqueue" ? Effect.andThen(die, Effect.never) : Effect.andThen(enqueued, die)
      },
    }),
  ),
)

const poll = Layer.merge(
  keepDuties(webhooks),
  webhooksPoll.pipe(
    Layer.provide(Polling.layer),
    Layer.provide(Enrichment.layer),
    crash === undefined ? (layer) => layer : Layer.provide(fragile),
  ),
)

const nothing = Layer.empty
runEntry(Layer.mergeAll(parts.includes("poll") ? poll : nothing, parts.includes("deliver") ? webhooksDeliver : nothing))
