import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import type { AccountId } from "#src/domain/Account.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { uuidOf } from "#src/webhooks/eventId.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { json, set } from "./configured.ts"
import { print, printJson } from "./print.ts"
import { asWebhookId, id, WebhooksCommandRefused, webhooksFor } from "./webhookServices.ts"

const refuse = (reason: string) => Effect.fail(new WebhooksCommandRefused({ reason }))

const asEvent = (given: string) =>
  uuidOf(given) !== undefined
    ? Effect.succeed(given)
    : refuse(`${JSON.stringify(given)}: the id of an event is evt_ and a UUID, see 'presage webhooks show'`)

/** Replays all failed deliveries in batches. */
const replayFailed = Effect.fnUntraced(function* (webhook: WebhookId, account: AccountId) {
  const deliveries = yield* Deliveries
  const options = { since: new Date(0), which: "failed" } as const
  let { queued, overCap, next } = yield* deliveries.replay(webhook, account, options)
  while (next !== undefined) {
    const part = yield* deliveries.replay(webhook, account, { ...options, after: next })
    queued += part.queued
    overCap += part.overCap
    next = part.next
  }
  return { queued, overCap }
})

export const redeliver = Command.make(
  "redeliver",
  {
    id,
    event: Argument.String("event").pipe(
      Argument.withDescription("Id of an event, for example evt_…"),
      Argument.optional,
    ),
    failed: Flag.Boolean("failed").pipe(
      Flag.withDescription("All deliveries that failed after their last attempt"),
      Flag.withDefault(false),
    ),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const { redeliver } = yield* Deliveries
      const webhook = yield* asWebhookId(flags.id)
      if (flags.failed === Option.isSome(flags.event)) return yield* refuse("use either the id of an event or --failed")
      const given = Option.isSome(flags.event) ? yield* asEvent(flags.event.value) : undefined
      const { account, active } = yield* (yield* Webhooks).findAny(webhook)
      if (!active) return yield* refuse(`webhook ${webhook} is not active: its deliveries would only be held`)
      const released =
        given === undefined ? yield* replayFailed(webhook, account) : yield* redeliver(webhook, account, given)
      if (released === undefined)
        return yield* refuse(`there is no delivery of ${given} to ${webhook}, or it has expired`)
      const { queued, overCap } = released
      yield* flags.json
        ? printJson({ queued, over_cap: overCap })
        : print(
            `queued again: ${queued}${overCap > 0 ? `; not queued because the daily limit is used up: ${overCap}` : ""}`,
          )
    }).pipe(Effect.provide(webhooksFor(flags.set))),
).pipe(Command.withDescription("Send one delivery again, whatever its status, or all failed ones"))
