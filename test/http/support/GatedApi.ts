import { Effect, Layer, Schema } from "effect"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { atLeast, costing, openToAll, paidOnly } from "#http/access/Rule.ts"
import { AccessControl, AccessControlLive, CurrentCaller } from "#http/middleware/AccessControl.ts"
import { StrictInput } from "#http/middleware/StrictInput.ts"
import { withKeys } from "#http/openapi/transforms.ts"
import { serve } from "#http/Server.ts"
import { NotFound } from "#http/server/errors.ts"
import { social } from "#src/limits/buckets.ts"
import { port } from "#src/platform/config/settings.ts"
import { access } from "#src/roles/Access.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const Seen = Schema.Struct({ plan: Schema.String })

const searches = { name: "social", perMonth: { free: 0, starter: 3, growth: 5, pro: 5, enterprise: 10 } }

/** One endpoint for each access rule. */
class GatedGroup extends HttpApiGroup.make("gated").add(
  HttpApiEndpoint.get("plain", "/v1/gated/plain", {
    query: { n: Schema.optionalKey(Schema.Int) },
    success: Seen,
    error: NotFound,
  }),
  HttpApiEndpoint.get("open", "/v1/gated/open", { success: Seen }).annotateMerge(openToAll()),
  HttpApiEndpoint.get("paid", "/v3/gated/paid", { success: Seen }).annotateMerge(paidOnly()),
  HttpApiEndpoint.get("heavy", "/v3/gated/heavy", { success: Seen }).annotateMerge(paidOnly({ heavy: true })),
  HttpApiEndpoint.get("growth", "/v2/gated/growth", { success: Seen }).annotateMerge(atLeast("growth")),
  HttpApiEndpoint.get("rare", "/v2/gated/rare", { success: Seen }).annotateMerge(costing({ perKey: social })),
  HttpApiEndpoint.get("units", "/v2/gated/units", {
    query: { missing: Schema.optionalKey(Schema.Literal("yes")) },
    success: Seen,
    error: NotFound,
  }).annotateMerge(paidOnly({ units: searches })),
) {}

export class GatedApi extends HttpApi.make("gated")
  .annotateMerge(OpenApi.annotations({ title: "Gated", version: "1", transform: withKeys }))
  .add(GatedGroup)
  .middleware(StrictInput)
  .middleware(AccessControl) {}

const planOf = Effect.map(CurrentCaller, ({ plan }) => ({ plan }))

const handlers = HttpApiBuilder.group(GatedApi, "gated", (handlers) =>
  handlers.handleAll({
    plain: ({ query }) => (query.n === 404 ? Effect.fail(new NotFound({ error: "No." })) : planOf),
    open: () => Effect.succeed({ plan: "nobody's" }),
    paid: () => planOf,
    heavy: () => planOf,
    growth: () => planOf,
    rare: () => planOf,
    units: ({ query }) => (query.missing ? Effect.fail(new NotFound({ error: "No." })) : planOf),
  }),
)

const routes = HttpApiBuilder.layer(GatedApi, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide(handlers),
  Layer.provide(AccessControlLive),
)

export const gatedServer = (flags: Record<string, string> = {}) =>
  serve(routes, port).pipe(
    Layer.provideMerge(access),
    Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", ...flags })),
  )
