import { Effect, Option } from "effect"
import * as HttpServerRequest from "effect/unstable/http/HttpServerRequest"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { httpPublicUrl } from "#src/platform/config/settings.ts"

/** Address of this service for a client: the host of its request, unless the operator configured another. */
export const apiAddress = Effect.map(Configuration, (config) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const requested = `http://${headers["host"] ?? "localhost"}`
    const given = Option.getOrUndefined(config.get(httpPublicUrl)) ?? requested
    const { origin, pathname } = new URL(URL.canParse(given) ? given : "http://localhost")
    return `${origin}${pathname.replace(/\/$/, "")}`
  }),
)
