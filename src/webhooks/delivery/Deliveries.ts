import { Cache, Clock, Context, Duration, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeSharedWork } from "#src/platform/process/sharedWork.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { type Attempt, WebhooksDeliver, WebhooksDeliverSlow } from "../contracts.ts"
import { uuidOf } from "../eventId.ts"
import type { UndeliveredStatus, WebhookId } from "../model.ts"
import { webhooksConfirmations } from "../settings.ts"
import { usedQuota } from "../subscriptions/QuotaStore.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { healthOf, type WebhookHealth } from "./HealthStore.ts"
import type { AttemptRecord, DeliveryRecord, HistoryOptions } from "./HistoryStore.ts"
import * as HistoryStore from "./HistoryStore.ts"
import * as ReleaseStore from "./ReleaseStore.ts"
import { Sender } from "./Sender.ts"
import { sendTest } from "./sendTest.ts"

export interface TestResult {
  readonly delivered: boolean
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly error: string | null
}

export interface Released {
  /** Enqueued. */
  readonly queued: number
  /** Not sent, because the day's deliveries are used up. */
  readonly overCap: number
}

export interface ReplayOptions {
  readonly since: Date
  readonly which: ReleaseStore.ReplayScope
  /** Cursor of an earlier call. */
  readonly after?: bigint | undefined
}

export interface Replayed extends Released {
  /** Cursor for the next call; undefined at the end. */
  readonly next: bigint | undefined
}

/** Deliveries of webhooks. Callers have checked that the webhook is theirs. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Attempts of a webhook, newest first. */
    readonly history: (
      webhook: WebhookId,
      options: HistoryOptions,
    ) => Effect.Effect<ReadonlyArray<AttemptRecord>, SqlError>
    /** A delivery with its bytes; undefined if the webhook has no such event. */
    readonly get: (webhook: WebhookId, eventId: string) => Effect.Effect<DeliveryRecord | undefined, SqlError>
    /** Of every webhook of an account, newest first, up to five seconds old: it counts deliveries, and pages poll it. */
    readonly health: (account: AccountId) => Effect.Effect<ReadonlyArray<WebhookHealth>, SqlError>
    /** Deliveries of an account that count against the cap of this UTC day. */
    readonly usedToday: (account: AccountId) => Effect.Effect<number, SqlError>
    /** Kept deliveries by status, without delivered ones: there are too many to count. */
    readonly counts: (webhook: WebhookId) => Effect.Effect<Readonly<Record<UndeliveredStatus, number>>, SqlError>
    /** Sends a test delivery now, even if the webhook is paused: the data of an example of its first type, marked. */
    readonly test: (
      webhook: WebhookId,
      example: Readonly<Record<string, unknown>> | undefined,
    ) => Effect.Effect<TestResult, SqlError>
    /** Sends a delivery again, whatever its status; undefined if the webhook has no such event. */
    readonly redeliver: (
      webhook: WebhookId,
      account: AccountId,
      eventId: string,
    ) => Effect.Effect<Released | undefined, TxError>
    /** Sends again what was held, failed or over the cap since a moment, as much as fits into one call. */
    readonly replay: (
      webhook: WebhookId,
      account: AccountId,
      options: ReplayOptions,
    ) => Effect.Effect<Replayed, TxError>
  }
>()("presage/webhooks/Deliveries") {
  static readonly layer = Layer.suspend(() => Layer.effect(Deliveries, make))
}

/** Per transaction. */
const batch = 1_000
/** Per call. */
const maxPerCall = 10_000
const maxMillis = Duration.toMillis("4 seconds")

const healthKeptFor = Duration.seconds(5)
const accountsWithHealth = 1_000

const make = Effect.gen(function* () {
  const { sql, reads, tx } = yield* Postgres
  const jobs = yield* Jobs
  const config = yield* Configuration
  const sender = yield* Sender
  const box = yield* SecretBox
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  const shared = yield* makeSharedWork
  const healths = yield* Cache.makeWith(
    (account: AccountId) => Effect.flatMap(now, (at) => healthOf(reads, account, at)),
    { capacity: accountsWithHealth, timeToLive: (exit) => (Exit.isSuccess(exit) ? healthKeptFor : 0) },
  )

  /** A job waiting for the next attempt would deduplicate the new one. */
  const dropJobs = ({ delivery, attempt }: Attempt) =>
    Effect.forEach([WebhooksDeliver, WebhooksDeliverSlow], (job) =>
      Effect.tryPromise(() => jobs.queue(job).removeDeduplicationKey(job.key({ delivery, attempt }))),
    )
  // After the commit. If Redis is unavailable, the sweep finds them in their rows.
  const enqueue = ({ attempts, pending }: ReleaseStore.ReleasedBatch) =>
    Effect.andThen(
      Effect.forEach(pending, dropJobs),
      // Thousands of redeliveries must not delay first attempts.
      jobs.enqueueAll(WebhooksDeliver, attempts, { behindOthers: true }),
    ).pipe(Effect.ignore)

  const redeliver = Effect.fn("Deliveries.redeliver")(function* (
    webhook: WebhookId,
    account: AccountId,
    eventId: string,
  ) {
    const uuid = uuidOf(eventId)
    if (uuid === undefined) return undefined
    const released = yield* tx(ReleaseStore.releaseOne(sql, webhook, account, uuid, yield* now))
    if (released === undefined) return undefined
    yield* enqueue(released)
    return { queued: released.attempts.length + released.underWay, overCap: released.overCap }
  })

  const replay = Effect.fn("Deliveries.replay")(function* (
    webhook: WebhookId,
    account: AccountId,
    options: ReplayOptions,
  ) {
    const { since, which } = options
    const at = yield* now
    let [queued, overCap, seen, after] = [0, 0, 0, options.after ?? 0n]
    while (true) {
      const part = yield* tx(ReleaseStore.releaseSince(sql, webhook, account, { since, which, after, most: batch }, at))
      if (part === undefined) return { queued, overCap, next: undefined }
      yield* enqueue(part)
      queued += part.attempts.length
      overCap += part.overCap
      after = part.last
      seen += batch
      const isLong = (yield* Clock.currentTimeMillis) - at.getTime() >= maxMillis
      if (seen >= maxPerCall || isLong) return { queued, overCap, next: after }
    }
  })

  const test = (webhook: WebhookId, example: Readonly<Record<string, unknown>> | undefined) =>
    sendTest(sql, webhook, example, config.get(webhooksConfirmations)).pipe(
      Effect.provideService(Sender, sender),
      Effect.provideService(SecretBox, box),
      Effect.map(
        (answer): TestResult =>
          answer === undefined
            ? { delivered: false, statusCode: null, latencyMs: 0, error: "The webhook was deleted." }
            : { ...answer, delivered: answer.success },
      ),
    )

  return Deliveries.of({
    history: Effect.fn("Deliveries.history")((webhook, options) => HistoryStore.history(reads, webhook, options)),
    get: Effect.fn("Deliveries.get")((webhook, eventId) => {
      const uuid = uuidOf(eventId)
      return uuid === undefined ? Effect.succeed(undefined) : HistoryStore.delivery(reads, webhook, uuid)
    }),
    health: Effect.fn("Deliveries.health")((account) => shared(Cache.get(healths, account))),
    usedToday: Effect.fn("Deliveries.usedToday")((account) =>
      Effect.flatMap(Clock.currentTimeMillis, (millis) => usedQuota(reads, account, millis)),
    ),
    counts: Effect.fn("Deliveries.counts")((webhook) => HistoryStore.counts(sql, webhook)),
    test: Effect.fn("Deliveries.test")(test),
    redeliver,
    replay,
  })
})
