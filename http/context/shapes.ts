import { Schema } from "effect"
import { contextSources, contextStatuses } from "#src/context/model.ts"
import { OnlineResult, onlineOriginFields } from "../online-search/shapes.ts"
import { about } from "../openapi/described.ts"
import { Post } from "../social/shapes.ts"

const Text = Schema.String

const Status = about(
  Schema.Literals(contextStatuses),
  "ok; partial: some of it is missing; failed: no answer, try again; rate_limited: too many requests for now; quota_exhausted: the social units of the month are used; payment_required: the source needs a paid plan; unavailable: only the operator of this service can help",
)

const problem = {
  error: Schema.optionalKey(about(Text, "What is missing; absent if the status is ok")),
  hint: Schema.optionalKey(about(Text, "What to do about it")),
}

const sourceOf = <
  Row extends Schema.Top,
  const Fields extends Schema.Struct.Fields,
  const QueryFields extends Schema.Struct.Fields,
>(
  row: Row,
  rows: string,
  fields: Fields,
  queryFields: QueryFields,
) =>
  Schema.optionalKey(
    Schema.Struct({
      ...fields,
      status: Status,
      result_count: Schema.Int,
      queries: about(
        Schema.Array(
          Schema.Struct({
            id: Text,
            query: about(Text, "As this source was asked"),
            status: Status,
            result_count: Schema.Int,
            results: about(Schema.Array(row), rows),
            ...queryFields,
            fetched_at: Schema.optionalKey(about(Text, "When the source was asked, ISO 8601")),
            ...problem,
          }),
        ),
        "One for each of `generated_queries`. What an earlier one lists is not repeated",
      ),
      ...problem,
    }),
  )

/** Fields of a bundle. */
export const contextFields = {
  slug: Text,
  title: Text,
  query_set: Text,
  generated_queries: Schema.Array(
    Schema.Struct({
      id: Text,
      query: about(Text, "Plain words, as asked of the web"),
      social_query: about(Text, "As asked of X; valid for GET /v2/social/search"),
      reason: Text,
    }),
  ),
  sources_requested: Schema.Array(Schema.Literals(contextSources)),
  sources: Schema.Struct({
    social: sourceOf(
      Post,
      "As `tweets` of GET /v2/social/search, newest first",
      {},
      { tweets: about(Schema.Array(Post), "The same as `results`") },
    ),
    online: sourceOf(OnlineResult, "As `results` of GET /v2/search/online, best first", onlineOriginFields, {}),
  }),
}

/** The plan does not have the only source that was asked for. */
export class SourceNeedsPlan extends Schema.Error<SourceNeedsPlan>("SourceNeedsPlan")(
  { error: Text, hint: Text, plan: Text, required_plan: Text },
  { httpApiStatus: 402, description: "The plan of the key is free, and only `social` was asked for" },
) {}
