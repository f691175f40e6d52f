import { Clock, Context, Duration, Effect, Layer, Random } from "effect"
import { Postponed, Retryable } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient, type TxError } from "#src/platform/sql/sqlFailure.ts"
import { type Attempt, WebhooksDeliver, WebhooksDeliverSlow } from "../contracts.ts"
import {
  webhooksDeadline,
  webhooksDisableAfter,
  webhooksDisableFailures,
  webhooksInFlight,
  webhooksRetries,
  webhooksSlow,
} from "../settings.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import * as WebhookStore from "../subscriptions/WebhookStore.ts"
import { DeliveryBatcher } from "./DeliveryBatcher.ts"
import { type HostSlot, Hosts } from "./Hosts.ts"
import { deliveryMetrics } from "./metrics.ts"
import { type Claim, isGone, nextStatus, type OverdueAttempt, type RecordResult } from "./model.ts"
import { Sender, type SendResult } from "./Sender.ts"
import { signedHeaders } from "./signature.ts"
import { TargetRefused, Targets } from "./Targets.ts"

/** Beyond the deadline: time to record the result before another worker may claim the attempt. */
const graceMillis = 5_000
/**
 * An attempt that is too early is looked at again after this: its row may be of a clock that was ahead, and is corrected
 * soon, while no equal job can be enqueued beside one that waits until tomorrow.
 */
const longestWaitMillis = 10_000
/** How long an attempt waits for a slot of a busy host. */
const slotPatience = Duration.millis(250)

const lanes = { quick: WebhooksDeliver, slow: WebhooksDeliverSlow } as const
export type LaneName = keyof typeof lanes

/** Makes attempts: claims one, sends it, records the result and enqueues the next one. */
export class Deliverer extends Context.Service<
  Deliverer,
  {
    readonly attempt: (lane: LaneName, attempt: Attempt) => Effect.Effect<void, Retryable | Postponed>
    /** The attempt's lane, as far as this process knows. */
    readonly laneOf: (overdue: OverdueAttempt) => Effect.Effect<LaneName>
  }
>()("presage/webhooks/Deliverer") {
  static readonly layer = Layer.suspend(() => Layer.effect(Deliverer, make))
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const { sql, tx } = yield* Postgres
  const jobs = yield* Jobs
  const store = yield* DeliveryBatcher
  const sender = yield* Sender
  const box = yield* SecretBox
  const targets = yield* Targets
  const metrics = deliveryMetrics(yield* Effect.context<never>())
  const hosts = new Hosts()

  const laneFor = (account: string, origin: string, now: number): LaneName =>
    hosts.isSlow(account, origin, now, Duration.toMillis(config.get(webhooksSlow))) ? "slow" : "quick"

  const originOf = (url: string): string => {
    const target = targets.read(url)
    return target instanceof TargetRefused ? url : target.origin
  }

  // If Redis is unavailable, the sweep finds the attempt in its row.
  const enqueue = (lane: LaneName, attempt: Attempt, delay: number) =>
    Effect.ignore(jobs.enqueue(lanes[lane], attempt, { delay: Duration.millis(delay) }))

  /** Resumes when a slot is free, or when waiting is no longer worth it. */
  const waitForSlot = (account: string, origin: string, now: number) =>
    Effect.callback<void>((resume) => {
      const onFree = () => resume(Effect.void)
      if (!hosts.waitForSlot(account, origin, now, config.get(webhooksInFlight), onFree)) return onFree()
      return Effect.sync(() => hosts.cancelWait(account, origin, onFree))
    }).pipe(Effect.timeoutOption(slotPatience))

  const send = Effect.fnUntraced(function* ({ attempt, payload }: Claim) {
    const now = yield* Clock.currentTimeMillis
    const { url, body } = payload
    return yield* sender.send({ url, headers: signedHeaders(box, payload, attempt, now), body })
  })

  const releaseSlot = (slot: HostSlot, answer: SendResult | undefined) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const slowMillis = Duration.toMillis(config.get(webhooksSlow))
      hosts.release(slot, now, answer === undefined || answer.errorClass === "timeout" || answer.latencyMs > slowMillis)
    })

  /** Releases the slot in any case. */
  const sendInSlot = (slot: HostSlot, lane: LaneName, sending: Effect.Effect<SendResult>) =>
    Effect.suspend(() => {
      let answer: SendResult | undefined
      metrics.began(lane)
      return Effect.tap(sending, (result) => {
        answer = result
        metrics.answered(slot.origin, result)
        return Effect.void
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            metrics.ended(lane)
            return releaseSlot(slot, answer)
          }),
        ),
      )
    })

  /** Releases the claim for as long as the host is busy with earlier attempts. */
  const postpone = Effect.fnUntraced(function* (claim: Claim, origin: string, reason: "full" | "slow") {
    const now = yield* Clock.currentTimeMillis
    const { account } = claim.payload
    const wait = hosts.backOff(account, origin, now, config.get(webhooksInFlight), yield* Random.next)
    metrics.postponed(reason)
    yield* store.release(claim, new Date(now + wait))
    return wait
  })

  const disableIfFailing = Effect.fnUntraced(function* (claim: Claim, answer: SendResult, recorded: RecordResult) {
    const now = yield* Clock.currentTimeMillis
    const { webhook, url } = claim.payload
    const { failingSince, failures } = recorded
    const hasFailedLong =
      failingSince !== null &&
      failures >= config.get(webhooksDisableFailures) &&
      now - failingSince.getTime() >= Duration.toMillis(config.get(webhooksDisableAfter))
    if (!isGone(answer) && !hasFailedLong) return
    const reason = isGone(answer)
      ? "The endpoint answered 410 Gone."
      : `All deliveries have failed since ${failingSince?.toISOString()}, ${failures} in a row.`
    if (!(yield* tx(WebhookStore.disable(sql, webhook, { reason, at: new Date(now), url })))) return
    metrics.disabled()
    yield* Effect.logInfo(`webhook ${webhook} disabled: ${reason}`)
  })

  const conclude = Effect.fnUntraced(function* (claim: Claim, origin: string, answer: SendResult) {
    const now = yield* Clock.currentTimeMillis
    const next = nextStatus(answer, claim.attempt - claim.firstAttempt, config.get(webhooksRetries), now)
    const recorded = yield* retryTransient("20 seconds")(store.record({ claim, answer, next, at: new Date(now) }))
    if (!recorded.counted) return
    if (next.status === "pending") {
      const following = { delivery: claim.delivery, attempt: claim.attempt + 1 }
      return yield* enqueue(laneFor(claim.payload.account, origin, now), following, next.nextAt.getTime() - now)
    }
    if (next.status === "failed") yield* disableIfFailing(claim, answer, recorded)
  })

  const makeAttempt = (lane: LaneName, claim: Claim) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { account, url } = claim.payload
        const origin = originOf(url)
        const now = yield* Clock.currentTimeMillis
        if (lane === "quick" && laneFor(account, origin, now) === "slow") {
          const wait = yield* postpone(claim, origin, "slow")
          return yield* enqueue("slow", { delivery: claim.delivery, attempt: claim.attempt }, wait)
        }
        const acquire = Effect.map(Clock.currentTimeMillis, (at) =>
          hosts.acquire(account, origin, at, config.get(webhooksInFlight)),
        )
        const slot = (yield* acquire) ?? (yield* Effect.andThen(restore(waitForSlot(account, origin, now)), acquire))
        if (slot === undefined)
          return yield* new Postponed({ after: Duration.millis(yield* postpone(claim, origin, "full")) })
        const answer = yield* sendInSlot(slot, lane, restore(send(claim)))
        yield* restore(conclude(claim, origin, answer))
      }),
    )

  const attempt = Effect.fnUntraced(
    function* (lane: LaneName, requested: Attempt) {
      const now = yield* Clock.currentTimeMillis
      const until = new Date(now + Duration.toMillis(config.get(webhooksDeadline)) + graceMillis)
      const claimed = yield* store.claim({ ...requested, now: new Date(now), until })
      if (claimed._tag === "Obsolete") return
      if (claimed._tag === "Claimed") return yield* makeAttempt(lane, claimed)
      metrics.postponed("early")
      const wait = Math.min(longestWaitMillis, Math.max(1, claimed.until.getTime() - now))
      return yield* new Postponed({ after: Duration.millis(wait) })
    },
    Effect.catchIf(
      (error): error is TxError => !(error instanceof Postponed),
      (error) => Effect.fail(new Retryable({ reason: describe(error) })),
    ),
  )

  return Deliverer.of({
    attempt: Effect.fn("Deliverer.attempt")(attempt),
    laneOf: ({ account, url }) => Effect.map(Clock.currentTimeMillis, (now) => laneFor(account, originOf(url), now)),
  })
})
