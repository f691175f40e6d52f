import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { mostWords } from "#src/search/question.ts"
import { paidOnly } from "../../access/Rule.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { pageOf } from "../../v3/parameters.ts"
import { FoundMarketPage } from "./shapes.ts"

const longest = 200

/** Any text: what is no letter or digit separates words. */
const SearchText = Schema.String.check(
  Schema.makeFilter((text) => text.trim() !== "" && text.length <= longest, {
    message: `expected 1 to ${longest} characters to search for`,
  }),
)

const { limit, offset, cursor } = pageOf("markets")

const search = HttpApiEndpoint.get("search", "/v3/markets/search", {
  query: {
    q: SearchText.annotate({
      description: `what to search for, 1 to ${longest} characters, of which the first ${mostWords} words count`,
    }),
    limit,
    offset,
    cursor,
  },
  success: FoundMarketPage,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Search markets",
    "/v3/markets/search?q=bitcoin&limit=10",
    "Finds markets by the words of their question, slug, event title and outcomes (except Yes and No), without regard to case, accents and punctuation. The last word may be incomplete unless a space follows. The best match comes first (`match` says how good it is), and of equal ones open markets and those with more volume. Typos count where fewer than ten markets have the words as typed: one in a word of four letters, two from eight on, none in numbers. If no market has all words, up to 20 with all but one are listed.",
  ),
)

export class MarketSearchGroup extends HttpApiGroup.make("marketSearch")
  .add(search)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Search", description: "Markets by their words." })) {}
