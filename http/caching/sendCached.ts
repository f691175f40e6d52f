import { Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { Cached } from "#src/caching/model.ts"
import { errorResponse } from "../errors.ts"
import { cacheHeaders, dataAge } from "./cacheHeaders.ts"
import { bytesIn, encodingFor, etagOf, isKnown } from "./representation.ts"

/** To a client that takes no encoding of those there are. */
export const notAcceptable = errorResponse(406, {
  error: "Accept-Encoding leaves nothing that can be sent.",
  hint: "Allow one of br, zstd, gzip or identity.",
})

/** A cached answer as a response: compressed as the client likes it, or only word that it has it already. */
export const sendCached = (
  { headers }: Pick<HttpServerRequest, "headers">,
  cached: Cached,
  now: number,
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { answer } = cached
  const encoding = encodingFor(answer, headers["accept-encoding"])
  if (encoding === "none") return Effect.succeed(notAcceptable)
  const { withBody, withoutBody } = cacheHeaders(cached, encoding, now)
  const age = { "x-data-age-ms": dataAge(answer, now) }
  if (isKnown(headers["if-none-match"], etagOf(answer, encoding))) {
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { ...withoutBody, ...age } }))
  }
  const respond = (bytes: Buffer) => HttpServerResponse.uint8Array(bytes, { headers: { ...withBody, ...age } })
  const bytes = bytesIn(answer, encoding)
  return Buffer.isBuffer(bytes)
    ? Effect.succeed(respond(bytes))
    : Effect.map(
        Effect.promise(() => bytes),
        respond,
      )
}
