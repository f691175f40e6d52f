import { Effect } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { version } from "#src/platform/process/version.ts"
import { asyncapi } from "#src/streams/asyncapi.ts"
import { gatewayAddress } from "./gatewayAddress.ts"

/** The streams in a form that programs read, as /openapi.json is for the REST API. */
export const asyncapiDocument = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const address = yield* gatewayAddress
    const answer = Effect.map(address, (gateway) => HttpServerResponse.jsonUnsafe(asyncapi(gateway, version)))
    yield* router.add("GET", "/asyncapi.json", answer)
  }),
)
