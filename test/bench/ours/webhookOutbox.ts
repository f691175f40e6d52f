import { Clock, Effect, Layer, ManagedRuntime, Schedule } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { WebhooksDeliver } from "#src/webhooks/contracts.ts"
import type { PendingDelivery, Watcher } from "#src/webhooks/polling/model.ts"
import { writeDeliveries } from "#src/webhooks/polling/Outbox.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { answerAs } from "../support/answerAs.ts"
import { batchesOf } from "../support/batches.ts"
import { now, type OutboxSubject, type Told, tradeOf, used } from "../support/webhooks.ts"
import { configuration } from "./foundation.ts"
import { makeHooks } from "./webhookHooks.ts"

/** The deliverer of a worker, and the outbox of its pollers. */
const runtime = ManagedRuntime.make(
  Layer.merge(webhooksDeliver, SecretBox.layer).pipe(
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)
await runtime.context()

const perTransaction = 2000
const perCall = 1000
const beat = 50

let hooks: ReadonlyArray<Watcher> = []
let owedSoFar = 0

const nextOwed = (count: number): ReadonlyArray<PendingDelivery> =>
  Array.from({ length: count }, () => {
    const block = owedSoFar++
    const watcher = hooks[block % hooks.length] as Watcher
    return { watcher, identity: `fill ${block}`, data: tradeOf(block) }
  })

/** As a poller does it: rows first, then the jobs. */
const owe = Effect.fnUntraced(function* (owed: ReadonlyArray<PendingDelivery>) {
  const { sql, tx } = yield* Postgres
  const jobs = yield* Jobs
  const { pending } = yield* tx(writeDeliveries(sql, "trade", owed, yield* Clock.currentTimeMillis))
  const writtenAt = now()
  for (const some of batchesOf(pending, perCall))
    yield* jobs.enqueueAll(
      WebhooksDeliver,
      some.map((id) => ({ delivery: String(id), attempt: 1 })),
    )
  return writtenAt
})

const isSettled = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ pending: boolean }>`
    select exists(select from webhook_delivery where status = 'pending') as pending`
  return row?.pending === false
})

answerAs<OutboxSubject>({
  aim: async (urls) => {
    const wanted = urls.map((url) => ({ url, type: "trade" as const, filters: {} }))
    // An account each: what one of them sends does not limit the others.
    hooks = await runtime.runPromise(makeHooks(wanted, 1))
  },
  deliver: (count) =>
    runtime.runPromise(Effect.forEach(batchesOf(nextOwed(count), perTransaction), owe, { discard: true })),
  settled: () =>
    runtime.runPromise(
      Effect.asVoid(Effect.repeat(isSettled, { until: (yes) => yes, schedule: Schedule.spaced("10 millis") })),
    ),
  trickle: (perSecond, seconds) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const told: Array<Told> = []
        const once = Effect.gen(function* () {
          const first = owedSoFar
          const owed = nextOwed(Math.round((perSecond * beat) / 1000))
          const at = yield* owe(owed)
          for (const place of owed.keys()) told.push({ block: first + place, at })
        })
        yield* Effect.repeat(once, Schedule.max([Schedule.fixed(beat), Schedule.during(`${seconds} seconds`)]))
        return told
      }),
    ),
  use: async () => used(),
})
