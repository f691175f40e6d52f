import { Clock, Effect, Layer, ManagedRuntime, Schedule } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import type { PendingDelivery, Watcher } from "#src/webhooks/polling/model.ts"
import { writeDeliveries } from "#src/webhooks/polling/Outbox.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { batchesOf } from "../support/batches.ts"
import { expose } from "../support/expose.ts"
import { type Committed, cpuUsage, now, type OutboxSubject, tradeOf } from "../support/webhooks.ts"
import { configuration } from "./foundation.ts"
import { makeHooks } from "./webhookHooks.ts"

/** A worker's delivery actor and its pollers' outbox. */
const runtime = ManagedRuntime.make(
  Layer.merge(webhooksDeliver, SecretBox.layer).pipe(
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)
await runtime.context()

const perTransaction = 2000
const perCall = 1000
const intervalMillis = 50

let hooks: ReadonlyArray<Watcher> = []
let created = 0

const nextDeliveries = (count: number): ReadonlyArray<PendingDelivery> =>
  Array.from({ length: count }, () => {
    const block = created++
    const watcher = hooks[block % hooks.length] as Watcher
    return { watcher, identity: `fill ${block}`, data: tradeOf(block) }
  })

/** Like a poller: writes the rows first, then enqueues the jobs. */
const enqueue = Effect.fnUntraced(function* (deliveries: ReadonlyArray<PendingDelivery>) {
  const { sql, tx } = yield* Postgres
  const jobs = yield* Jobs
  const { pending } = yield* tx(
    writeDeliveries(sql, { type: "trade", now: yield* Clock.currentTimeMillis, confirmations: 3 }, deliveries),
  )
  const writtenAt = now()
  for (const some of batchesOf(pending, perCall))
    yield* jobs.enqueueAll(
      WebhooksDeliver,
      some.map((id) => ({ delivery: String(id), attempt: 1 })),
    )
  return writtenAt
})

const isDrained = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ pending: boolean }>`
    select exists(select from webhook_delivery where status = 'pending') as pending`
  return row?.pending === false
})

expose<OutboxSubject>({
  setTargets: async (urls) => {
    const requests = urls.map((url) => ({ url, type: "trade" as const, filters: {} }))
    // One account per webhook, so that no account's limit affects the others.
    hooks = await runtime.runPromise(makeHooks(requests, 1))
  },
  deliver: (count) =>
    runtime.runPromise(Effect.forEach(batchesOf(nextDeliveries(count), perTransaction), enqueue, { discard: true })),
  drained: () =>
    runtime.runPromise(
      Effect.asVoid(Effect.repeat(isDrained, { until: (yes) => yes, schedule: Schedule.spaced("10 millis") })),
    ),
  trickle: (perSecond, seconds) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const committed: Array<Committed> = []
        const once = Effect.gen(function* () {
          const first = created
          const deliveries = nextDeliveries(Math.round((perSecond * intervalMillis) / 1000))
          const at = yield* enqueue(deliveries)
          for (const index of deliveries.keys()) committed.push({ block: first + index, at })
        })
        yield* Effect.repeat(
          once,
          Schedule.max([Schedule.fixed(intervalMillis), Schedule.during(`${seconds} seconds`)]),
        )
        return committed
      }),
    ),
  usage: async () => cpuUsage(),
})
