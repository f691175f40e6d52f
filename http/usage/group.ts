import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Month, MonthlyUsage } from "#src/usage/model.ts"
import { Unavailable } from "../server/errors.ts"

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

export class UsageGroup extends HttpApiGroup.make("usage")
  .add(month)
  .annotateMerge(OpenApi.annotations({ title: "Usage", description: "Usage of the account." })) {}
