import { Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { CachedAnswer } from "#src/caching/Answer.ts"
import { errorResponse } from "../server/errors.ts"
import { cacheHeaders, dataAge } from "./cacheHeaders.ts"
import { bytesIn, encodingFor, etagOf, isNotModified } from "./representation.ts"

/** For a client that accepts none of the available encodings. */
export const notAcceptable = errorResponse(406, {
  error: "Accept-Encoding allows none of the available encodings.",
  hint: "Allow one of br, zstd, gzip or identity.",
})

/** A cached answer as a response, in an encoding that the client accepts, or as a 304. */
export const sendCached = (
  { headers }: Pick<HttpServerRequest, "headers">,
  cached: CachedAnswer,
  now: number,
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { answer } = cached
  const encoding = encodingFor(answer, headers["accept-encoding"])
  if (encoding === "none") return Effect.succeed(notAcceptable)
  const { withBody, withoutBody } = cacheHeaders(cached, encoding, now)
  const age = { "x-data-age-ms": dataAge(answer, now) }
  if (isNotModified(headers["if-none-match"], etagOf(answer, encoding))) {
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
