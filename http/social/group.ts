import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import * as buckets from "#src/limits/buckets.ts"
import { socialUnits } from "#src/social/units.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { paidOnly } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { FoundPosts, handleParameter, NetworkFailed, searchQuery, Timeline, timelineQuery } from "./shapes.ts"

const rules = `Equal requests within 60 seconds share one call to the network; each counts toward the quota of its account. Only answers with
status 200 count. Headers: \`x-quota-used\`, \`x-quota-limit\`, \`x-quota-remaining\`, \`x-quota-reset\`. Beta: optional fields may be added.`

const search = HttpApiEndpoint.get("search", "/v2/social/search", {
  query: searchQuery,
  success: FoundPosts,
  error: [BadInput, NetworkFailed, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Search posts",
    description: `The newest posts that match, at most 50. There is no cursor: narrow with \`since:\` and \`until:\` to go further. The network does
not filter by likes, retweets and replies, so the newest 300 posts that match the rest are filtered here. ${rules}

\`\`\`sh
curl -G -H "x-api-key: $KEY" "$URL/v2/social/search" --data-urlencode 'q=bitcoin min_faves:5 -filter:retweets'
\`\`\``,
  }),
)

const timeline = HttpApiEndpoint.get("timeline", "/v2/social/user/:handle/tweets", {
  params: { handle: handleParameter },
  query: timelineQuery,
  success: Timeline,
  error: [BadInput, NotFound, NetworkFailed, Unavailable],
}).annotateMerge(
  describe(
    "Posts of an account",
    "/v2/social/user/ChainPressIO/tweets?max=5",
    `The newest posts of a public account, at most 50. ${rules}`,
  ),
)

export class SocialGroup extends HttpApiGroup.make("social")
  .add(search, timeline)
  .annotate(Elsewhere, true)
  .annotateEndpointsMerge(paidOnly({ perKey: buckets.social, units: socialUnits }))
  .annotateMerge(OpenApi.annotations({ title: "Social", description: "Posts of X." })) {}
