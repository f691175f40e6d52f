import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { version } from "#src/platform/version.ts"
import { StatusGroup } from "./groups/Status.ts"
import { SystemGroup } from "./groups/System.ts"
import { StrictInput } from "./middleware/StrictInput.ts"

const description = `Prediction-market data over REST.

**Errors** are JSON with an \`error\` sentence; some add fields: \`param\` or \`field\` names what is wrong with the request,
\`hint\` says what to do. Unknown query parameters are refused with 400. A body must be \`application/json\` (else 415)
and within the size limit (else 413). A known path with another method is 405 with an \`allow\` header. 500 carries a
\`request_id\` to quote.

**Every response** has \`x-request-id\`: yours when you sent one (1 to 64 of A-Z, a-z, 0-9, \`.\`, \`_\`, \`-\`), else a new one.
\`HEAD\` works wherever \`GET\` does, reads are open to any web origin, and a trailing slash on a path is accepted.

Beside the API: \`/metrics\` (Prometheus), \`/openapi.json\` (this document), \`/docs\` (this page).`

const base = HttpApi.make("presage").annotateMerge(OpenApi.annotations({ title: "Presage", version, description }))

/** The whole REST API. A new group is added here and gets the strictness of every other. */
export class Api extends base.add(SystemGroup, StatusGroup).middleware(StrictInput) {}

/** What a process without the api role serves. It has the id of `Api`, so that the same handlers serve both. */
export class OpsApi extends base.add(SystemGroup).middleware(StrictInput) {}
