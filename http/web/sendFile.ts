import { Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { Answer } from "#src/caching/Answer.ts"
import { bytesIn, encodingFor, etagOf, isNotModified } from "../caching/representation.ts"
import { notAcceptable } from "../caching/sendCached.ts"

const never = Number.MAX_SAFE_INTEGER
const forever = { storedAt: 0, freshUntil: never, staleUntil: never, dataAt: undefined, isBounded: false }

/** A file with its compressed variants, each made once, on its first request. */
export const fileAnswer = (bytes: Buffer): Answer => new Answer(bytes, forever)

/** A file that needs no key, in an encoding that the client accepts, or as a 304. */
export const sendFile = (
  { headers }: Pick<HttpServerRequest, "headers">,
  file: Answer,
  contentType: string,
  cacheControl: string,
) => {
  const encoding = encodingFor(file, headers["accept-encoding"])
  if (encoding === "none") return Effect.succeed(notAcceptable)
  const etag = etagOf(file, encoding)
  const common = {
    etag,
    vary: "accept-encoding",
    "cache-control": cacheControl,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  }
  if (isNotModified(headers["if-none-match"], etag)) {
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: common }))
  }
  return Effect.map(
    Effect.promise(async () => bytesIn(file, encoding)),
    (bytes) =>
      HttpServerResponse.uint8Array(bytes, {
        contentType,
        headers: { ...common, ...(encoding === "identity" ? {} : { "content-encoding": encoding }) },
      }),
  )
}
