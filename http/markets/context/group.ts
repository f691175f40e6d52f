import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { marketQuerySets } from "#src/markets/contextQueries.ts"
import { Elsewhere } from "../../access/Elsewhere.ts"
import { paidOnly } from "../../access/Rule.ts"
import { contextParameters, sourceRules } from "../../context/parameters.ts"
import { visibleText } from "../../input/visibleText.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { MarketContext } from "./shapes.ts"

const context = HttpApiEndpoint.get("context", "/v3/markets/slug/:slug/context", {
  params: { slug: visibleText("a slug").annotate({ description: "slug of a market" }) },
  query: {
    query_set: Schema.optionalKey(Schema.Literals(marketQuerySets).annotate({ description: "`default` by default" })),
    ...contextParameters("the market and its prices"),
  },
  success: MarketContext,
  error: [BadInput, NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Context of a market",
    "/v3/markets/slug/$SLUG/context?sources=online",
    `Queries about the market, made from its question, event, outcomes, category and end, and what X (\`social\`) and the web (\`online\`) say to them. ${sourceRules}`,
  ),
)

export class MarketContextGroup extends HttpApiGroup.make("marketContext")
  .add(context)
  .annotate(Elsewhere, true)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Context", description: "What is said about a market." })) {}
