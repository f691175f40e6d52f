import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { version } from "#src/platform/process/version.ts"
import { withKeys } from "./access/withKeys.ts"
import { CopyPnlGroup } from "./copy-pnl/group.ts"
import { CryptoGroup } from "./crypto/group.ts"
import { describedParameters, type Group } from "./describedParameters.ts"
import { EventsGroup } from "./events/group.ts"
import { KeysGroup } from "./keys/group.ts"
import { LeaderboardsGroup } from "./leaderboards/group.ts"
import { Gate } from "./middleware/Gate.ts"
import { StrictInput } from "./middleware/StrictInput.ts"
import { WalletsGroup } from "./positions/group.ts"
import { StatusGroup } from "./status/group.ts"
import { SystemGroup } from "./system/group.ts"
import { TicksGroup } from "./ticks/group.ts"
import { TradesGroup } from "./trades/group.ts"
import { UsageGroup } from "./usage/group.ts"
import { WebhooksGroup } from "./webhooks/group.ts"
import { withWebhooks } from "./webhooks/withWebhooks.ts"

const description = `Prediction-market data over REST.

**Errors** are JSON with an \`error\` sentence; some add fields: \`param\` or \`field\` names what is wrong with the request,
\`hint\` says what to do. Unknown query parameters are refused with 400. A body must be \`application/json\` (else 415)
and within the size limit (else 413). A known path with another method is 405 with an \`allow\` header. 500 carries a
\`request_id\` to quote.

**Keys** go in the header \`x-api-key\`, as \`Authorization: Bearer\`, or as \`?key=\`; \`POST /v1/keys\` gives a free one. A request
is looked at in this order: its path (404), its key (401 missing or not known, 403 revoked), its plan (402 or 403), its
limits (429), its parameters (400). **Limits** count per account in a sliding window of a minute; answers carry
\`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` (Unix seconds), and only a 429 costs nothing.

**Every response** has \`x-request-id\`: yours when you sent one (1 to 64 of A-Z, a-z, 0-9, \`.\`, \`_\`, \`-\`), else a new one.
\`HEAD\` works wherever \`GET\` does, reads are open to any web origin, and a trailing slash on a path is accepted.

**Cached answers** say so: \`x-cache\` is \`hit\`, \`miss\`, or \`stale\` when the source is down and an older answer is shown;
\`age\` and \`cache-control\` say how old the answer is and how long it may be kept, \`x-data-age-ms\` how old its newest data are.
Send \`if-none-match\` with the \`etag\` to get 304 when nothing changed, and \`accept-encoding\` (br, zstd, gzip) to get it compressed.

**Streams** are on a port of their own: [/asyncapi.json](/asyncapi.json) describes them, [/live](/live) shows them.

Beside the API: \`/metrics\` (Prometheus, for the machine itself or with a token), \`/openapi.json\` (this document), \`/docs\` (this page).`

const base = HttpApi.make("presage").annotateMerge(
  OpenApi.annotations({
    title: "Presage",
    version,
    description,
    transform: (document): Record<string, unknown> =>
      describedParameters(withWebhooks(withKeys(document)), allGroups()),
  }),
)

/**
 * The whole REST API. A new group is added here and gets the strictness of every other, and needs a key unless its
 * endpoints say otherwise. The gate comes last because the last one is asked first.
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
    WebhooksGroup,
    CopyPnlGroup,
    LeaderboardsGroup,
    WalletsGroup,
    TradesGroup,
  )
  .middleware(StrictInput)
  .middleware(Gate) {}

function allGroups(): ReadonlyArray<Group> {
  return Object.values(Api.groups)
}

/** What a process without the api role serves. It has the id of `Api`, so that the same handlers serve both. */
export class OpsApi extends base.add(SystemGroup).middleware(StrictInput) {}
