import { assert, it } from "@effect/vitest"
import { Duration } from "effect"
import { duties } from "#schedulers/index.ts"
import { WebhooksPoll } from "#src/webhooks/contracts.ts"

/** The documented cadences, in seconds; an order is complete after 30 quiet seconds. */
const cadences = {
  trade: 3,
  large_trade: 3,
  builder_trade: 3,
  first_trade: 3,
  price_change: 10,
  market_resolved: 10,
  market_created: 30,
  pnl_change: 15,
  position_status_change: 30,
  redemption: 15,
  split: 15,
  merge: 15,
  neg_risk_conversion: 15,
  fee_earned: 15,
  wallet_activity_trades: 3,
  wallet_activity: 15,
  order_complete: 3,
}

it("Every event type is polled at its documented cadence", () => {
  const polled = duties.filter(({ job }) => job.name === WebhooksPoll.name)
  assert.deepStrictEqual(
    Object.fromEntries(polled.map(({ payload, every }) => [payload.poller, Duration.toSeconds(every.default)])),
    cadences,
  )
  assert.isTrue(polled.every(({ name }) => /^webhooks-poll-[a-z-]+$/.test(name)))
})
