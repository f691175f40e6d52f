import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Unavailable } from "../../server/errors.ts"
import { about, maybeMoment, moment } from "../shapes.ts"

const Poller = Schema.Struct({
  poller: Schema.String,
  seq: about("Events up to this one are processed"),
  lag: about("Events after it in the log"),
  block: about("Highest block that was confirmed"),
  moved_at: moment,
})

const Webhook = Schema.Struct({
  id: Schema.String,
  account_id: Schema.String,
  host: Schema.String,
  state: Schema.Literals(["active", "paused", "disabled"]),
  disabled_reason: Schema.NullOr(Schema.String),
  failing_since: maybeMoment,
  pending: Schema.Number,
  failed: Schema.Number,
})

const state = HttpApiEndpoint.get("state", "/ops/v1/deliveries", {
  success: Schema.Struct({
    pollers: Schema.Array(Poller).annotate({ description: "Pollers that have webhooks" }),
    pending: about("Deliveries that are not sent yet"),
    due: about("Of these, those that should be sent by now"),
    oldest_due_seconds: Schema.NullOr(Schema.Number),
    failed: about("Deliveries without further attempts"),
    held: about("Deliveries of paused and disabled webhooks"),
    over_cap: about("Deliveries beyond the limit of a plan"),
    webhooks: Schema.Number,
    disabled: about("Webhooks that were disabled"),
    troubled: Schema.Array(Webhook).annotate({
      description: "Webhooks with a backlog, failures, or disabled; at most 50",
    }),
  }),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "Pollers and deliveries", description: "Backlogs of webhooks." }))

export class DeliveriesGroup extends HttpApiGroup.make("deliveries")
  .add(state)
  .annotateMerge(OpenApi.annotations({ title: "Deliveries", description: "Webhook pollers and deliveries." })) {}
