import { Schema } from "effect"

export const refusalCodes = [
  "invalid_json",
  "invalid_message",
  "input_too_large",
  "connection_limit",
  "firehose_limit",
  "plan_required",
  "unknown_subscription",
  "too_many_subscriptions",
  "memory_limit",
  "service_warming_up",
  "unavailable",
  "resync_limit",
  "too_many_messages",
] as const

/** A request was refused; the client gets an `error` frame and the connection stays open. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  code: Schema.Literals(refusalCodes),
  message: Schema.String,
  retryAfterMillis: Schema.optionalKey(Schema.Number),
}) {}

/** `error` repeats the code for clients written for other order book feeds. */
export const refusalFrame = ({ code, message, retryAfterMillis }: Refusal): Readonly<Record<string, unknown>> => ({
  type: "error",
  code,
  error: code,
  message,
  ...(retryAfterMillis === undefined ? {} : { retry_after_ms: Math.round(retryAfterMillis) }),
})
