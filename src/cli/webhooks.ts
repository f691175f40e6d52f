import { Effect } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { replaceControlCharacters } from "#src/platform/text/controlCharacters.ts"
import { backlogs } from "#src/webhooks/delivery/HistoryStore.ts"
import type { Webhook, WebhookId } from "#src/webhooks/model.ts"
import type { NoSuchWebhook, SecretLost } from "#src/webhooks/subscriptions/errors.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { limit } from "./keyServices.ts"
import { print, printJson, table } from "./print.ts"
import { asWebhookId, id, stateOf, webhookJson, webhooksFor } from "./webhookServices.ts"
import { listen } from "./webhooksListen.ts"
import { redeliver } from "./webhooksRedeliver.ts"
import { show } from "./webhooksShow.ts"

const list = Command.make("list", { limit, json, set }, (flags) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const all = yield* (yield* Webhooks).listAll(flags.limit)
    const counts = yield* backlogs(
      sql,
      all.map((webhook) => webhook.id),
    )
    const countsOf = (webhook: Webhook) => counts.get(webhook.id) ?? { pending: 0, failed: 0 }
    if (flags.json)
      return yield* printJson(
        yield* Effect.forEach(all, (each) =>
          Effect.map(webhookJson(each), (shown) => ({ ...shown, ...countsOf(each) })),
        ),
      )
    const rows = all.map((webhook) => [
      webhook.id,
      webhook.account,
      new URL(webhook.url).host,
      String(countsOf(webhook).pending),
      String(countsOf(webhook).failed),
      webhook.eventTypes.join(","),
      replaceControlCharacters(stateOf(webhook)),
    ])
    yield* print(table(["WEBHOOK", "ACCOUNT", "HOST", "PENDING", "FAILED", "TYPES", "STATE"], rows))
  }).pipe(Effect.provide(webhooksFor(flags.set))),
).pipe(Command.withDescription("List webhooks of all accounts, newest first"))

interface ChangeFlags {
  readonly id: string
  readonly json: boolean
  readonly set: Readonly<Record<string, string>>
}

const change = Effect.fnUntraced(function* (
  flags: ChangeFlags,
  apply: (webhooks: Webhooks["Service"], id: WebhookId) => Effect.Effect<Webhook, NoSuchWebhook | SecretLost | TxError>,
) {
  const id = yield* asWebhookId(flags.id)
  const changed = Effect.gen(function* () {
    const webhook = yield* apply(yield* Webhooks, id)
    return { webhook, shown: yield* webhookJson(webhook) }
  })
  const { webhook, shown } = yield* Effect.provide(changed, webhooksFor(flags.set))
  yield* flags.json ? printJson(shown) : print(`webhook ${id}: ${replaceControlCharacters(stateOf(webhook))}`)
})

const disable = Command.make(
  "disable",
  {
    id,
    reason: Flag.String("reason").pipe(
      Flag.withDescription("Reason, shown to the owner"),
      Flag.filter(
        (reason) => reason.length >= 1 && reason.length <= 200,
        () => "1 to 200 characters",
      ),
    ),
    json,
    set,
  },
  (flags) => change(flags, (webhooks, id) => webhooks.disable(id, flags.reason)),
).pipe(Command.withDescription("Stop deliveries to a webhook; its events are kept and can be sent later"))

const enable = Command.make("enable", { id, json, set }, (flags) =>
  change(flags, (webhooks, id) => webhooks.enable(id)),
).pipe(Command.withDescription("Resume deliveries to a webhook"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription(descriptions.webhooks),
  Command.withSubcommands([list, show, redeliver, disable, enable, listen]),
)
