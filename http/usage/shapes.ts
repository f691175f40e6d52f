import { Schema } from "effect"
import { Plan } from "#src/domain/Plan.ts"
import { about } from "../openapi/described.ts"

const LimitName = Schema.Literals([
  "requests",
  "heavy_requests",
  "webhook_deliveries",
  "social_requests",
  "event_connections",
  "book_connections",
  "keys",
  "webhooks",
])
export type LimitName = typeof LimitName.Type

export const Limits = Schema.Struct({
  plan: Plan,
  limits: Schema.Array(
    Schema.Struct({
      name: about(LimitName, "What is limited"),
      period: about(
        Schema.Literals(["minute", "day", "month", "at_once"]),
        "A sliding minute, the UTC day, the UTC month, or how many there may be at once",
      ),
      used: Schema.Int,
      limit: about(Schema.NullOr(Schema.Int), "null: unlimited"),
      reset_at: about(
        Schema.NullOr(Schema.Int),
        "Unix seconds: when the next request becomes free, or the day or month ends",
      ),
    }),
  ),
  streams: Schema.Struct({
    snapshot_count: about(Schema.Int, "Most events that a new subscription can replay"),
    since_seconds: about(Schema.Int, "How far back a subscription can replay or resume"),
    session_seconds_per_day: about(Schema.NullOr(Schema.Int), "Connected time per UTC day; null: unlimited"),
  }),
}).annotate({ identifier: "AccountLimits" })
export type Limits = typeof Limits.Type
