import { type Duration, Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import type { WebhookEventType } from "./model.ts"

/** Pollers, their event types and cadences; a wallet's trades come sooner than its other activity. */
export const pollers = {
  trade: { type: "trade", every: "3 seconds" },
  large_trade: { type: "large_trade", every: "3 seconds" },
  builder_trade: { type: "builder_trade", every: "3 seconds" },
  first_trade: { type: "first_trade", every: "3 seconds" },
  price_change: { type: "price_change", every: "10 seconds" },
  market_resolved: { type: "market_resolved", every: "10 seconds" },
  market_created: { type: "market_created", every: "30 seconds" },
  pnl_change: { type: "pnl_change", every: "15 seconds" },
  position_status_change: { type: "position_status_change", every: "30 seconds" },
  redemption: { type: "redemption", every: "15 seconds" },
  split: { type: "split", every: "15 seconds" },
  merge: { type: "merge", every: "15 seconds" },
  neg_risk_conversion: { type: "neg_risk_conversion", every: "15 seconds" },
  fee_earned: { type: "fee_earned", every: "15 seconds" },
  wallet_activity_trades: { type: "wallet_activity", every: "3 seconds" },
  wallet_activity: { type: "wallet_activity", every: "15 seconds" },
  // About 33 seconds with the quiet period of an order.
  order_complete: { type: "order_complete", every: "3 seconds" },
} as const satisfies Readonly<Record<string, { readonly type: WebhookEventType; readonly every: Duration.Input }>>

export type PollerName = keyof typeof pollers
export const pollerNames = Object.keys(pollers) as ReadonlyArray<PollerName>

/** Finds new events of one type and writes the deliveries. */
export const WebhooksPoll = Job.make({
  name: "webhooks-poll",
  payload: Schema.Struct({ poller: Schema.Literals(pollerNames) }),
  key: ({ poller }) => poller,
  // The next tick continues where the last successful one stopped.
  defaults: { concurrency: 4, budget: "30 seconds", attempts: 1 },
})

/** Copies the positions of a wallet that a webhook watches. */
export const WebhooksSeed = Job.make({
  name: "webhooks-seed",
  payload: Schema.Struct({ wallet: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{40}$/)) }),
  key: ({ wallet }) => wallet,
  defaults: { concurrency: 2, budget: "5 minutes" },
})

const Attempt = Schema.Struct({
  /** The delivery's id, in digits. */
  delivery: Schema.String.check(Schema.isPattern(/^\d{1,19}$/)),
  /** The number of the attempt, from 1. */
  attempt: Schema.Int.check(Schema.isGreaterThan(0)),
})
export type Attempt = typeof Attempt.Type

const attemptJob = (name: string, concurrency: number) =>
  Job.make({
    name,
    payload: Attempt,
    key: ({ delivery, attempt }) => `${delivery}-${attempt}`,
    defaults: { concurrency, budget: "2 minutes", attempts: 20, lock: "15 seconds", stall: "5 seconds" },
  })

/** Makes one attempt of one delivery. */
export const WebhooksDeliver = attemptJob("webhooks-deliver", 64)
/** The same for slow or unresponsive hosts, so that they delay no others. */
export const WebhooksDeliverSlow = attemptJob("webhooks-deliver-slow", 32)

/** Deletes deliveries after their retention. */
export const WebhooksMaintenance = Job.make({
  name: "webhooks-maintenance",
  payload: Schema.Struct({}),
  key: () => "all",
  defaults: { concurrency: 1, budget: "5 minutes" },
})
