import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { Postgres } from "#src/platform/Postgres.ts"
import { Deliveries } from "#src/webhooks/Deliveries.ts"
import { failedEvents } from "#src/webhooks/DeliveryOverview.ts"
import { Webhooks } from "#src/webhooks/Webhooks.ts"
import { json, set } from "./configured.ts"
import { print, printJson } from "./print.ts"
import { asWebhookId, id, WebhooksCommandRefused, webhooksFor } from "./webhookServices.ts"

const refuse = (reason: string) => Effect.fail(new WebhooksCommandRefused({ reason }))

const eventPattern = /^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const asEvent = (given: string) =>
  eventPattern.test(given)
    ? Effect.succeed(given)
    : refuse(`${JSON.stringify(given)}: the id of an event is evt_ and a UUID; 'presage webhooks show' shows them`)

export const redeliver = Command.make(
  "redeliver",
  {
    id,
    event: Argument.String("event").pipe(Argument.withDescription("Id of an event, such as evt_…"), Argument.optional),
    failed: Flag.Boolean("failed").pipe(
      Flag.withDescription("Everything that was given up after its last attempt"),
      Flag.withDefault(false),
    ),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const deliveries = yield* Deliveries
      const webhook = yield* asWebhookId(flags.id)
      if (flags.failed === Option.isSome(flags.event))
        return yield* refuse("give either the id of an event or --failed")
      const given = Option.isSome(flags.event) ? yield* asEvent(flags.event.value) : undefined
      const { account, active } = yield* (yield* Webhooks).findAny(webhook)
      if (!active) return yield* refuse(`webhook ${webhook} is not active: what is sent now would only be held`)
      const events = given === undefined ? yield* failedEvents(sql, webhook) : [given]
      const released = yield* Effect.forEach(events, (event) => deliveries.redeliver(webhook, account, event), {
        concurrency: 4,
      })
      if (given !== undefined && released[0] === undefined) {
        return yield* refuse(`there is no delivery of ${given} to ${webhook}, or it is kept no longer`)
      }
      const sum = (of: "queued" | "overCap") => released.reduce((total, each) => total + (each?.[of] ?? 0), 0)
      const [queued, overCap] = [sum("queued"), sum("overCap")]
      yield* flags.json
        ? printJson({ queued, over_cap: overCap })
        : print(`sent again: ${queued}${overCap > 0 ? `; left, for the day's deliveries are used up: ${overCap}` : ""}`)
    }).pipe(Effect.provide(webhooksFor(flags.set))),
).pipe(Command.withDescription("Send a delivery again, whatever became of it, or all that failed"))
