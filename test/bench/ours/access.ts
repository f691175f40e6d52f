import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { openToAll } from "#http/access/Rule.ts"
import { AccessControl, AccessControlLive } from "#http/middleware/AccessControl.ts"
import { StrictInput } from "#http/middleware/StrictInput.ts"
import { serve } from "#http/Server.ts"
import { port } from "#src/platform/config/settings.ts"
import { access } from "#src/roles/Access.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { type AccessSubject, body } from "../support/access.ts"
import { expose } from "../support/expose.ts"
import { configuration } from "./foundation.ts"
import { listenWithKey } from "./listenWithKey.ts"

const Body = Schema.Struct({ symbol: Schema.String, price: Schema.String })

class Group extends HttpApiGroup.make("bench").add(
  HttpApiEndpoint.get("keyed", "/keyed", { success: Body }),
  HttpApiEndpoint.get("open", "/open", { success: Body }).annotateMerge(openToAll()),
) {}

class BenchApi extends HttpApi.make("bench").add(Group).middleware(StrictInput).middleware(AccessControl) {}

const handlers = HttpApiBuilder.group(BenchApi, "bench", (handlers) =>
  handlers.handleAll({ keyed: () => Effect.succeed(body), open: () => Effect.succeed(body) }),
)

const routes = HttpApiBuilder.layer(BenchApi).pipe(Layer.provide(handlers), Layer.provide(AccessControlLive))

/** The full production path of a request with a key. */
const runtime = ManagedRuntime.make(
  serve(routes, port).pipe(
    Layer.provideMerge(access),
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)

expose<AccessSubject>({ listen: () => runtime.runPromise(listenWithKey) })
