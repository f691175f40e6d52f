import { Effect, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { HttpServer } from "effect/unstable/http"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { isInetAddress } from "effect/unstable/net/NetAddress"
import { Gatekeeper } from "#http/access/Gatekeeper.ts"
import { openToAll } from "#http/access/Rule.ts"
import { Gate } from "#http/middleware/Gate.ts"
import { GateLive } from "#http/middleware/GateLive.ts"
import { StrictInput } from "#http/middleware/StrictInput.ts"
import { serve } from "#http/Server.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"
import { port } from "#src/platform/settings.ts"
import { access } from "#src/roles/Access.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { type AccessSubject, body } from "../support/access.ts"
import { answerAs } from "../support/answerAs.ts"
import { configuration } from "./foundation.ts"

const Body = Schema.Struct({ symbol: Schema.String, price: Schema.String })

class Group extends HttpApiGroup.make("bench").add(
  HttpApiEndpoint.get("keyed", "/keyed", { success: Body }),
  HttpApiEndpoint.get("open", "/open", { success: Body }).annotateMerge(openToAll()),
) {}

class BenchApi extends HttpApi.make("bench").add(Group).middleware(StrictInput).middleware(Gate) {}

const handlers = HttpApiBuilder.group(BenchApi, "bench", (handlers) =>
  handlers.handleAll({ keyed: () => Effect.succeed(body), open: () => Effect.succeed(body) }),
)

const routes = HttpApiBuilder.layer(BenchApi).pipe(
  Layer.provide(handlers),
  Layer.provide(GateLive),
  Layer.provide(Gatekeeper.layer),
)

/** Everything that a request with a key passes in production. */
const runtime = ManagedRuntime.make(
  serve(routes, port).pipe(
    Layer.provideMerge(access),
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)

const listen = Effect.gen(function* () {
  const keys = yield* Keys
  const { key, account } = yield* keys.open("enterprise", KeyName.make("bench"))
  yield* keys.setLimits(account.id, { standard: PerMinute.make(1_000_000) })
  const { address } = yield* HttpServer.HttpServer
  return { port: isInetAddress(address) ? address.port : 0, key: Redacted.value(key) }
})

answerAs<AccessSubject>({ listen: () => runtime.runPromise(listen) })
