import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Month, MonthlyUsage } from "#src/usage/model.ts"
import { Unavailable } from "../server/errors.ts"
import { Limits } from "./shapes.ts"

const month = HttpApiEndpoint.get("month", "/v1/usage", {
  query: { month: Schema.optionalKey(Month) },
  success: MonthlyUsage,
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Monthly usage",
    description:
      "Requests and streamed bytes of all keys of the account, by family, day and key. The current month by default.",
  }),
)

const limits = HttpApiEndpoint.get("limits", "/v1/limits", {
  success: Limits,
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Limits and what is used of them now",
    description: "Of the account, over all its keys. This request is counted too.",
  }),
)

export class UsageGroup extends HttpApiGroup.make("usage")
  .add(month, limits)
  .annotateMerge(OpenApi.annotations({ title: "Usage", description: "Usage of the account." })) {}
