import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Plan } from "#src/domain/Plan.ts"
import { Unavailable } from "../../server/errors.ts"
import { about } from "../shapes.ts"

const PlanLimits = Schema.Struct({
  plan: Plan,
  standard_per_minute: Schema.Number,
  heavy_per_minute: Schema.Number,
  keys: Schema.Number,
  webhooks: Schema.Number,
})

const TopAccount = Schema.Struct({
  account_id: Schema.String,
  name: Schema.String,
  plan: Plan,
  active: Schema.Boolean,
  standard_per_minute: about("Limit of the account"),
  heavy_per_minute: about("Limit of the account"),
  requests: about("Requests today (UTC)"),
  bytes: about("Bytes that streams sent today (UTC)"),
})

const state = HttpApiEndpoint.get("state", "/ops/v1/limits", {
  success: Schema.Struct({
    window_seconds: about("Length of the sliding window"),
    unauthenticated_per_minute: about("Requests from one address without a valid key"),
    refused_last_hour: about("Requests refused by a limit, in all processes"),
    requests_last_hour: Schema.Number,
    plans: Schema.Array(PlanLimits),
    top_accounts: Schema.Array(TopAccount).annotate({ description: "Most requests first; at most 20" }),
  }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "Limits and top accounts", description: "Who uses the service most today." }),
)

export class LimitsGroup extends HttpApiGroup.make("limits")
  .add(state)
  .annotateMerge(OpenApi.annotations({ title: "Limits", description: "Rate limits and usage." })) {}
