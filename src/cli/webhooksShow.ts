import { Effect } from "effect"
import { Command } from "effect/unstable/cli"
import { replaceControlCharacters } from "#src/platform/text/controlCharacters.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import type { AttemptRecord } from "#src/webhooks/delivery/HistoryStore.ts"
import { undeliveredStatuses } from "#src/webhooks/model.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { json, set } from "./configured.ts"
import { limitTo } from "./keyServices.ts"
import { print, printJson, table } from "./print.ts"
import { asWebhookId, confirmationsOfWebhook, id, stateOf, webhookJson, webhooksFor } from "./webhookServices.ts"

const attemptJson = (attempt: AttemptRecord) => ({
  event_id: attempt.eventId,
  event_type: attempt.eventType,
  attempt: attempt.attempt,
  success: attempt.success,
  status_code: attempt.statusCode,
  latency_ms: attempt.latencyMs,
  error_class: attempt.errorClass,
  error: attempt.error,
  response: attempt.response,
  at: attempt.at.toISOString(),
  status: attempt.status,
  next_at: attempt.nextAt?.toISOString() ?? null,
})

const attemptRow = ({ at, eventType, eventId, attempt, statusCode, latencyMs, error }: AttemptRecord) => [
  at.toISOString(),
  eventType,
  eventId,
  String(attempt),
  statusCode === null ? "-" : String(statusCode),
  `${latencyMs} ms`,
  replaceControlCharacters(error ?? ""),
]

export const show = Command.make("show", { id, limit: limitTo(20), json, set }, (flags) =>
  Effect.gen(function* () {
    const webhook = yield* (yield* Webhooks).findAny(yield* asWebhookId(flags.id))
    const deliveries = yield* Deliveries
    const counts = yield* deliveries.counts(webhook.id)
    const attempts = yield* deliveries.history(webhook.id, { limit: flags.limit, offset: 0 })
    if (flags.json) {
      return yield* printJson({
        ...(yield* webhookJson(webhook)),
        deliveries: counts,
        attempts: attempts.map(attemptJson),
      })
    }
    const facts = [
      ["webhook", webhook.id],
      ["account", webhook.account],
      ["url", webhook.url],
      ["state", stateOf(webhook)],
      ["types", webhook.eventTypes.join(", ")],
      ["filters", JSON.stringify(webhook.filters)],
      ["confirmations", String(yield* confirmationsOfWebhook(webhook))],
      ["description", webhook.description ?? "-"],
      ["created", webhook.createdAt.toISOString()],
      ["deliveries", undeliveredStatuses.map((status) => `${status} ${counts[status]}`).join(", ")],
    ]
    yield* print(
      facts.map(([name = "", fact = ""]) => `${name.padEnd(15)}${replaceControlCharacters(fact)}`).join("\n"),
    )
    const header = ["WHEN", "TYPE", "EVENT", "ATTEMPT", "STATUS", "LATENCY", "ERROR"]
    yield* print(`\n${attempts.length === 0 ? "no attempts yet" : table(header, attempts.map(attemptRow))}`)
  }).pipe(Effect.provide(webhooksFor(flags.set))),
).pipe(Command.withDescription("Print a webhook, the state of its deliveries and the last attempts"))
