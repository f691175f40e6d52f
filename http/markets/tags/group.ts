import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { tagMarketSorts } from "#src/markets/TagMarketStore.ts"
import { paidOnly } from "../../access/Rule.ts"
import { visibleText } from "../../input/visibleText.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { pageOf } from "../../v3/parameters.ts"
import { NoTag, TagMarketPage, TagPage } from "../shapes.ts"

const pageParameters = (what: string) => {
  const { limit, offset, cursor } = pageOf(what)
  return { limit, offset, cursor }
}

const tags = HttpApiEndpoint.get("tags", "/v3/tags", {
  query: pageParameters("tags"),
  success: TagPage,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Tags",
    "/v3/tags?limit=10",
    "The tags of markets in the catalogue, most markets first, then by name. Counted at most 30 minutes ago; a minute while the catalogue is loaded for the first time.",
  ),
)

const markets = HttpApiEndpoint.get("markets", "/v3/tags/:slug", {
  params: { slug: visibleText("a tag").annotate({ description: "a tag, as listed by GET /v3/tags" }) },
  query: {
    sort: Schema.optionalKey(
      Schema.Literals(tagMarketSorts).annotate({
        description: `${tagMarketSorts.join(", ")}, the largest first; ${tagMarketSorts[0]} by default`,
      }),
    ),
    ...pageParameters("markets"),
  },
  success: TagMarketPage,
  error: [BadInput, NoTag, Unavailable],
}).annotateMerge(
  describe(
    "Markets of a tag",
    "/v3/tags/crypto?limit=10",
    "All markets of the events with this tag. The order is at most five minutes old; the markets are shown as they are now. A market whose volume changes between two pages by `cursor` may move from one to the other.",
  ),
)

export class TagsGroup extends HttpApiGroup.make("tags")
  .add(tags, markets)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Tags", description: "The tags of the catalogue and their markets." })) {}
