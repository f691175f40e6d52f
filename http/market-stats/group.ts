import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { paidOnly } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { eventParameters, marketParameters } from "./parameters.ts"
import { EventList, EventStatsList, MarketList, MarketStatsList } from "./shapes.ts"

const error = [BadInput, NotFound, Unavailable] as const

const markets = HttpApiEndpoint.get("markets", "/v3/markets", {
  query: marketParameters,
  success: MarketList,
  error,
}).annotateMerge(
  describe(
    "Markets",
    "/v3/markets?status=open&sort=volume_24h&limit=10",
    "Markets with their volumes, trades, traders and prices. A market that the chain knows and the catalogue does not has null for its names. `ending_soonest` begins at the present unless `end_after` is given. The figures are brought up to date twice a minute; `as_of` names their block. A market whose figure changes between two pages by `cursor` may move from one to the other.",
  ),
)

const marketStats = HttpApiEndpoint.get("marketStats", "/v3/markets/stats", {
  query: marketParameters,
  success: MarketStatsList,
  error,
}).annotateMerge(
  describe(
    "Figures of markets",
    "/v3/markets/stats?condition_id=$CONDITION",
    "The figures of GET /v3/markets alone, with the same filters and sorts.",
  ),
)

const events = HttpApiEndpoint.get("events", "/v3/events", {
  query: eventParameters,
  success: EventList,
  error,
}).annotateMerge(
  describe(
    "Events",
    "/v3/events?status=open&sort=volume_24h&limit=10",
    "Events with their markets, volumes, trades and traders. A wallet that trades several markets of an event is one trader of it. See GET /v3/markets.",
  ),
)

const eventStats = HttpApiEndpoint.get("eventStats", "/v3/events/stats", {
  query: eventParameters,
  success: EventStatsList,
  error,
}).annotateMerge(
  describe(
    "Figures of events",
    "/v3/events/stats?sort=unique_traders_24h&limit=10",
    "The figures of GET /v3/events alone, with the same filters and sorts.",
  ),
)

export class MarketStatsGroup extends HttpApiGroup.make("marketStats")
  .add(markets, marketStats, events, eventStats)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(
    OpenApi.annotations({ title: "Lists of markets", description: "Markets and events by what is traded of them." }),
  ) {}
