import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { version } from "#src/platform/process/version.ts"
import { ActivityGroup } from "./activity/group.ts"
import { OnchainActivityGroup } from "./activity/onchain/group.ts"
import { BlocksGroup } from "./blocks/group.ts"
import { BuildersGroup } from "./builders/group.ts"
import { CandlesGroup } from "./candles/group.ts"
import { CombosGroup } from "./combos/group.ts"
import { CopyPnlGroup } from "./copy-pnl/group.ts"
import { CryptoGroup } from "./crypto/group.ts"
import { EventsGroup } from "./events/group.ts"
import { KeysGroup } from "./keys/group.ts"
import { LeaderboardsGroup } from "./leaderboards/group.ts"
import { MarketStatsGroup } from "./market-stats/group.ts"
import { MarketContextGroup } from "./markets/context/group.ts"
import { DepthGroup } from "./markets/depth/group.ts"
import { MarketsGroup } from "./markets/group.ts"
import { MarketSearchGroup } from "./markets/search/group.ts"
import { TagsGroup } from "./markets/tags/group.ts"
import { AccessControl } from "./middleware/AccessControl.ts"
import { StrictInput } from "./middleware/StrictInput.ts"
import { OnchainTradesGroup } from "./onchain/trades/group.ts"
import { VolumesGroup } from "./onchain/volumes/group.ts"
import { OnlineSearchGroup } from "./online-search/group.ts"
import { contract } from "./openapi/contract.ts"
import type { Group } from "./openapi/parameters.ts"
import { WalletsGroup } from "./positions/group.ts"
import { PositionPagesGroup } from "./positions/list/group.ts"
import { ResolutionsGroup } from "./resolutions/group.ts"
import { ResolveGroup } from "./resolve/group.ts"
import { RewardsGroup } from "./rewards/group.ts"
import { SocialGroup } from "./social/group.ts"
import { GamesGroup } from "./sports/games/group.ts"
import { SportsGroup } from "./sports/group.ts"
import { StatusGroup } from "./status/group.ts"
import { SystemGroup } from "./system/group.ts"
import { TicksGroup } from "./ticks/group.ts"
import { TradesGroup } from "./trades/group.ts"
import { TradeListsGroup } from "./trades/list/group.ts"
import { UsageGroup } from "./usage/group.ts"
import { WalletPnlGroup } from "./wallets/group.ts"
import { WebhooksGroup } from "./webhooks/group.ts"

const description = `Prediction-market data over REST.

**Errors** are JSON with an \`error\` message. Some have more fields: \`param\` or \`field\` names the invalid input, \`hint\` says how to
fix it. Unknown query parameters are refused with 400. A body must be \`application/json\` (otherwise 415) and within the size limit
(otherwise 413). A known path with an unsupported method is 405 with an \`allow\` header. A 500 has a \`request_id\` to quote.

**Keys** go in the header \`x-api-key\`, in \`Authorization: Bearer\`, or in \`?key=\`. \`POST /v1/keys\` creates a free key. A request is
checked in this order: path (404), key (401 if missing or unknown, 403 if revoked), plan (402 or 403), limits (429), parameters (400).
**Limits** apply per account over a sliding 60-second window. Answers have \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and
\`x-ratelimit-reset\` (Unix seconds). Every answer except a 429 counts as a request.

**Every response** has \`x-request-id\`: the one you sent (1 to 64 of A-Z, a-z, 0-9, \`.\`, \`_\`, \`-\`), or a new one. \`HEAD\` works wherever
\`GET\` does, reads are open to any web origin, and a trailing slash on a path is accepted.

**Cached answers** have \`x-cache\`: \`hit\`, \`miss\`, or \`stale\` when the source is down and an older answer is served. \`age\` and
\`cache-control\` give the age of the answer and how long it may be cached, \`x-data-age-ms\` the age of its newest data. Send
\`if-none-match\` with the \`etag\` to get 304 when nothing changed, and \`accept-encoding\` (br, zstd, gzip) to get a compressed answer.

**Streams** use their own port: [/asyncapi.json](/asyncapi.json) describes them, [/explore/live](/explore/live) shows them.

Also available: \`/metrics\` (Prometheus; from the same machine or with a token), \`/openapi.json\` (this document), \`/docs\` (this page).`

const base = HttpApi.make("presage").annotateMerge(
  OpenApi.annotations({
    title: "Presage",
    version,
    description,
    license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    transform: (document): Record<string, unknown> => contract(document, allGroups()),
  }),
)

/**
 * The whole REST API. A group added here gets the same input checks as all others, and needs a key unless its endpoints
 * declare otherwise. Access control comes last because the last middleware runs first.
 */
export class Api extends base
  .add(
    SystemGroup,
    StatusGroup,
    KeysGroup,
    UsageGroup,
    CryptoGroup,
    TicksGroup,
    EventsGroup,
    BlocksGroup,
    ResolveGroup,
    WebhooksGroup,
    CopyPnlGroup,
    LeaderboardsGroup,
    WalletsGroup,
    TradesGroup,
    TradeListsGroup,
    OnchainTradesGroup,
    VolumesGroup,
    MarketsGroup,
    MarketStatsGroup,
    TagsGroup,
    MarketSearchGroup,
    DepthGroup,
    MarketContextGroup,
    ResolutionsGroup,
    RewardsGroup,
    CandlesGroup,
    ActivityGroup,
    OnchainActivityGroup,
    PositionPagesGroup,
    WalletPnlGroup,
    BuildersGroup,
    CombosGroup,
    SportsGroup,
    GamesGroup,
    OnlineSearchGroup,
    SocialGroup,
  )
  .middleware(StrictInput)
  .middleware(AccessControl) {}

function allGroups(): ReadonlyArray<Group> {
  return Object.values(Api.groups)
}

/** The API of a process without the api role. It has the id of `Api`, so that the same handlers serve both. */
export class OpsApi extends base.add(SystemGroup).middleware(StrictInput) {}
