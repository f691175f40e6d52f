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
import { disableWebhook } from "../subscriptions/disableWebhook.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { fateOf, isGone } from "./fate.ts"
import { Hosts, type Place } from "./Hosts.ts"
import { headersFor } from "./headersFor.ts"
import { deliveryMetrics } from "./metrics.ts"
import type { Claim, Overdue, Recorded } from "./model.ts"
import { type Answer, Sender } from "./Sender.ts"
import { TargetRefused, Targets } from "./Targets.ts"

/** Beyond the deadline: time to write down what came of it, before somebody else may try. */
const graceMillis = 5_000
/** How long an attempt stays in front of a host whose places are all taken, where that is worth it. */
const patience = Duration.millis(250)

const lanes = { quick: WebhooksDeliver, slow: WebhooksDeliverSlow } as const
export type LaneName = keyof typeof lanes

/** Makes attempts: claims one in its row, sends it, writes down what came of it and asks for the next one. */
export class Deliverer extends Context.Service<
  Deliverer,
  {
    readonly attempt: (lane: LaneName, asked: Attempt) => Effect.Effect<void, Retryable | Postponed>
    /** Which lane an attempt belongs into, as far as this process knows. */
    readonly laneOf: (owed: Overdue) => Effect.Effect<LaneName>
  }
>()("presage/webhooks/Deliverer") {
  static readonly layer = Layer.suspend(() => Layer.effect(Deliverer, make))
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const postgres = yield* Postgres
  const jobs = yield* Jobs
  const store = yield* DeliveryStore
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

  // Redis may be away: the sweep finds in the rows what was not asked for.
  const ask = (lane: LaneName, attempt: Attempt, delay: number) =>
    Effect.ignore(jobs.enqueue(lanes[lane], attempt, { delay: Duration.millis(delay) }))

  /** Resumes when a place is free, or when it is no longer worth the wait. */
  const stay = (account: string, origin: string, now: number) =>
    Effect.callback<void>((resume) => {
      const onFree = () => resume(Effect.void)
      if (!hosts.stay(account, origin, now, config.get(webhooksInFlight), onFree)) return onFree()
      return Effect.sync(() => hosts.leaveQueue(account, origin, onFree))
    }).pipe(Effect.timeoutOption(patience))

  const send = Effect.fnUntraced(function* ({ attempt, parcel }: Claim) {
    const now = yield* Clock.currentTimeMillis
    const { url, body } = parcel
    return yield* sender.send({ url, headers: headersFor(box, parcel, attempt, now), body })
  })

  const leave = (place: Place, answer: Answer | undefined) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const slow = Duration.toMillis(config.get(webhooksSlow))
      hosts.leave(place, now, answer === undefined || answer.errorClass === "timeout" || answer.latencyMs > slow)
    })

  /** The place is given back whatever happens. */
  const sendFrom = (place: Place, lane: LaneName, sending: Effect.Effect<Answer>) =>
    Effect.suspend(() => {
      let answer: Answer | undefined
      metrics.began(lane)
      return Effect.tap(sending, (came) => {
        answer = came
        metrics.answered(place.origin, came)
        return Effect.void
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            metrics.ended(lane)
            return leave(place, answer)
          }),
        ),
      )
    })

  /** Puts it back for as long as its host will be busy with those before it. */
  const giveBack = Effect.fnUntraced(function* (claim: Claim, origin: string, why: "full" | "slow") {
    const now = yield* Clock.currentTimeMillis
    const { account } = claim.parcel
    const wait = hosts.sendAway(account, origin, now, config.get(webhooksInFlight), yield* Random.next)
    metrics.postponed(why)
    yield* store.release(claim, new Date(now + wait))
    return wait
  })

  const disableIfHopeless = Effect.fnUntraced(function* (claim: Claim, answer: Answer, recorded: Recorded) {
    const now = yield* Clock.currentTimeMillis
    const { webhook, url } = claim.parcel
    const { failingSince, failures } = recorded
    const hasFailedLong =
      failingSince !== null &&
      failures >= config.get(webhooksDisableFailures) &&
      now - failingSince.getTime() >= Duration.toMillis(config.get(webhooksDisableAfter))
    if (!isGone(answer) && !hasFailedLong) return
    const reason = isGone(answer)
      ? "The endpoint answered 410 Gone."
      : `All deliveries have failed since ${failingSince?.toISOString()}, ${failures} in a row.`
    if (!(yield* disableWebhook(postgres, webhook, reason, now, url))) return
    metrics.disabled()
    yield* Effect.logInfo(`webhook ${webhook} disabled: ${reason}`)
  })

  const conclude = Effect.fnUntraced(function* (claim: Claim, origin: string, answer: Answer) {
    const now = yield* Clock.currentTimeMillis
    const fate = fateOf(answer, claim.attempt - claim.firstAttempt, config.get(webhooksRetries), now)
    const outcome = { claim, answer, fate, at: new Date(now) }
    const recorded = yield* retryTransient("20 seconds")(store.record(outcome))
    if (!recorded.counted) return
    if (fate.status === "pending") {
      const next = { delivery: claim.delivery, attempt: claim.attempt + 1 }
      return yield* ask(laneFor(claim.parcel.account, origin, now), next, fate.nextAt.getTime() - now)
    }
    if (fate.status === "failed") yield* disableIfHopeless(claim, answer, recorded)
  })

  const makeAttempt = (lane: LaneName, claim: Claim) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { account, url } = claim.parcel
        const origin = originOf(url)
        const now = yield* Clock.currentTimeMillis
        if (lane === "quick" && laneFor(account, origin, now) === "slow") {
          const wait = yield* giveBack(claim, origin, "slow")
          return yield* ask("slow", { delivery: claim.delivery, attempt: claim.attempt }, wait)
        }
        const enter = Effect.map(Clock.currentTimeMillis, (at) =>
          hosts.enter(account, origin, at, config.get(webhooksInFlight)),
        )
        const place = (yield* enter) ?? (yield* Effect.andThen(restore(stay(account, origin, now)), enter))
        if (place === undefined)
          return yield* new Postponed({ after: Duration.millis(yield* giveBack(claim, origin, "full")) })
        const answer = yield* sendFrom(place, lane, restore(send(claim)))
        yield* restore(conclude(claim, origin, answer))
      }),
    )

  const attempt = Effect.fnUntraced(
    function* (lane: LaneName, asked: Attempt) {
      const now = yield* Clock.currentTimeMillis
      const until = new Date(now + Duration.toMillis(config.get(webhooksDeadline)) + graceMillis)
      const claiming = yield* store.claim({ ...asked, now: new Date(now), until })
      if (claiming._tag === "Over") return
      if (claiming._tag === "Claimed") return yield* makeAttempt(lane, claiming)
      metrics.postponed("early")
      return yield* new Postponed({ after: Duration.millis(Math.max(1, claiming.until.getTime() - now)) })
    },
    Effect.catchIf(
      (error): error is TxError => !(error instanceof Postponed),
      (error) => Effect.fail(new Retryable({ reason: describe(error) })),
    ),
  )

  return Deliverer.of({
    attempt,
    laneOf: ({ account, url }) => Effect.map(Clock.currentTimeMillis, (now) => laneFor(account, originOf(url), now)),
  })
})
