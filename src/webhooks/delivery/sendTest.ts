import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { WebhookEventType, WebhookId } from "../model.ts"
import { envelopeOf } from "../polling/envelope.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { Sender, type SendResult } from "./Sender.ts"
import { signedHeaders } from "./signature.ts"

interface Target {
  readonly url: string
  readonly type: WebhookEventType
  readonly secret: Uint8Array
  readonly previousSecret: Uint8Array | null
  readonly previousUntil: Date | null
}

type Example = Readonly<Record<string, unknown>>

const mark = (example: Example | undefined) => ({
  test: true,
  message:
    example === undefined
      ? "This is a test delivery: verify its signature and answer 2xx. There was no such event lately to show."
      : "This is a test delivery: verify its signature and answer 2xx. The other fields are of a recent event.",
})

const record = (
  sql: SqlClient,
  webhook: WebhookId,
  event: string,
  type: WebhookEventType,
  answer: SendResult,
  at: Date,
) => sql`
  insert into webhook_attempt (webhook, event_id, event_type, attempt, success, status_code, latency_ms, error_class,
    error, response, at)
  select id, ${event}, ${type}, 1, ${answer.success}, ${answer.statusCode}::int4, ${answer.latencyMs}::int4,
    ${answer.errorClass}, ${answer.error}, ${answer.response}, ${at}::timestamptz
  from webhook where id = ${webhook} for key share`

/** Sends a test delivery, signed like any other, with the data of an example; undefined if the webhook is gone. */
export const sendTest = Effect.fnUntraced(function* (
  sql: SqlClient,
  webhook: WebhookId,
  example: Example | undefined,
  standardConfirmations: number,
) {
  const sender = yield* Sender
  const box = yield* SecretBox
  const now = yield* Clock.currentTimeMillis
  const [target] = yield* sql<Target>`
    select url, event_types[1] as type, secret, previous_secret as "previousSecret", previous_until as "previousUntil"
    from webhook where id = ${webhook}`
  if (target === undefined) return undefined
  const { url, type } = target
  const eventId = `test_${randomUUID()}`
  const confirmations = example && standardConfirmations
  const envelope = envelopeOf({ type, now, confirmations }, eventId, { ...mark(example), ...example })
  const body = Buffer.from(JSON.stringify(envelope))
  const headers = signedHeaders(box, { ...target, webhook, eventId, eventType: type, body }, 1, now)
  const answer = yield* sender.send({ url, headers, body })
  yield* record(sql, webhook, eventId, type, answer, new Date(yield* Clock.currentTimeMillis))
  return answer
})
