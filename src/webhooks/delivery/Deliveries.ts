import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { type Attempt, WebhooksDeliver, WebhooksDeliverSlow } from "../contracts.ts"
import type { AttemptError, DeliveryStatus, UndeliveredStatus, WebhookEventType, WebhookId } from "../model.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { sendTest } from "../subscriptions/sendTest.ts"
import { uuidOf } from "./eventIds.ts"
import * as HistoryStore from "./HistoryStore.ts"
import { type ReleasedBatch, releaseOne, releaseSince, type Which } from "./ReleaseStore.ts"
import { Sender } from "./Sender.ts"

/** What came of one attempt; attempt 0 says why none was made. */
export interface AttemptRecord {
  readonly id: bigint
  readonly eventId: string
  readonly eventType: WebhookEventType
  readonly attempt: number
  readonly success: boolean
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly errorClass: AttemptError | null
  readonly error: string | null
  /** The beginning of the answer's body. */
  readonly response: string | null
  readonly at: Date
  /** How the delivery stands now; null for test deliveries and those that are kept no longer. */
  readonly status: DeliveryStatus | null
  readonly nextAt: Date | null
  /** Rises with each delivery of a webhook, with gaps. */
  readonly sequence: bigint | null
}

export interface HistoryOptions {
  readonly limit: number
  readonly offset: number
  /** Only attempts before this one, for paging that new attempts do not shift. */
  readonly before?: bigint | undefined
  readonly eventId?: string | undefined
  readonly success?: boolean | undefined
}

export interface TestResult {
  readonly delivered: boolean
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly error: string | null
}

export interface Released {
  /** Put on their way. */
  readonly queued: number
  /** Left where they are, because the day's deliveries are used up. */
  readonly overCap: number
}

export interface ReplayOptions {
  readonly since: Date
  readonly which: Which
  /** Where an earlier call has stopped. */
  readonly after?: bigint | undefined
}

export interface Replayed extends Released {
  /** More may follow behind this one; undefined when everything was looked at. */
  readonly next: bigint | undefined
}

/** What is owed to webhooks and what became of it. All of these are of a webhook that the caller has found to be its own. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Attempts of a webhook, the newest first. */
    readonly history: (
      webhook: WebhookId,
      options: HistoryOptions,
    ) => Effect.Effect<ReadonlyArray<AttemptRecord>, SqlError>
    /** How many deliveries of the kept ones stand how. Not how many were delivered: of those there are too many to count. */
    readonly counts: (webhook: WebhookId) => Effect.Effect<Readonly<Record<UndeliveredStatus, number>>, SqlError>
    /** Sends one now, active or not, and says what came of it. */
    readonly test: (webhook: WebhookId) => Effect.Effect<TestResult, SqlError>
    /** Sends a delivery again, whatever became of it; undefined where there is none of this event. */
    readonly redeliver: (
      webhook: WebhookId,
      account: AccountId,
      eventId: string,
    ) => Effect.Effect<Released | undefined, TxError>
    /** Sends again what was held, failed or over the cap since a moment: so much of it as there is time for at once. */
    readonly replay: (
      webhook: WebhookId,
      account: AccountId,
      options: ReplayOptions,
    ) => Effect.Effect<Replayed, TxError>
  }
>()("presage/webhooks/Deliveries") {
  static readonly layer = Layer.suspend(() => Layer.effect(Deliveries, make))
}

/** Released in one transaction. */
const batch = 1_000
/** Released for one who waits for the answer. */
const mostAtOnce = 10_000
const longest = Duration.toMillis("4 seconds")

const make = Effect.gen(function* () {
  const { sql, reads, tx } = yield* Postgres
  const jobs = yield* Jobs
  const sender = yield* Sender
  const box = yield* SecretBox
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  /** A job that waits for the next attempt's time would keep another one for the same attempt away. */
  const forgetJob = ({ delivery, attempt }: Attempt) =>
    Effect.forEach([WebhooksDeliver, WebhooksDeliverSlow], (job) =>
      Effect.tryPromise(() => jobs.queue(job).removeDeduplicationKey(job.key({ delivery, attempt }))),
    )
  // After the commit. Where Redis is away, the sweep finds them in their rows.
  const askFor = ({ attempts, pending }: ReleasedBatch) =>
    Effect.andThen(
      Effect.forEach(pending, forgetJob),
      // Thousands that are sent again must not make those wait that are sent for the first time.
      jobs.enqueueAll(WebhooksDeliver, attempts, { behindOthers: true }),
    ).pipe(Effect.ignore)

  const redeliver = Effect.fnUntraced(function* (webhook: WebhookId, account: AccountId, eventId: string) {
    const uuid = uuidOf(eventId)
    if (uuid === undefined) return undefined
    const released = yield* tx(releaseOne(sql, webhook, account, uuid, yield* now))
    if (released === undefined) return undefined
    yield* askFor(released)
    return { queued: released.attempts.length + released.underWay, overCap: released.overCap }
  })

  const replay = Effect.fnUntraced(function* (webhook: WebhookId, account: AccountId, options: ReplayOptions) {
    const { since, which } = options
    const at = yield* now
    let [queued, overCap, seen, after] = [0, 0, 0, options.after ?? 0n]
    while (true) {
      const part = yield* tx(releaseSince(sql, webhook, account, { since, which, after, most: batch }, at))
      if (part === undefined) return { queued, overCap, next: undefined }
      yield* askFor(part)
      queued += part.attempts.length
      overCap += part.overCap
      after = part.last
      seen += batch
      const isLong = (yield* Clock.currentTimeMillis) - at.getTime() >= longest
      if (seen >= mostAtOnce || isLong) return { queued, overCap, next: after }
    }
  })

  const test = (webhook: WebhookId) =>
    sendTest(sql, webhook).pipe(
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
    history: (webhook, options) => HistoryStore.history(reads, webhook, options),
    counts: (webhook) => HistoryStore.counts(sql, webhook),
    test,
    redeliver,
    replay,
  })
})
