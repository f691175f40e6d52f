import { Effect, Equal } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { Export } from "#src/trades/Exports.ts"
import type { Acceptable } from "../caching/chooseEncoding.ts"
import { Incoming } from "../server/Exchange.ts"
import { streamedParts } from "../ticks/body.ts"
import { type ExportFormat, exportFormats } from "../v3/formats.ts"
import { type ExportInfo, frameOf, headersOf, trailersOf } from "./frames.ts"
import { partsOf } from "./parts.ts"

export interface ResponseOptions {
  readonly format: ExportFormat
  readonly encoding: Acceptable
  readonly headers: Readonly<Record<string, string>>
  /** How long a client may read nothing. */
  readonly idleMillis: number
}

/** Trailers need chunked encoding, which HTTP/1.0 does not have. */
const replyWithTrailers = ({ source }: HttpServerRequest) =>
  source instanceof Incoming && source.httpVersion === "1.1" ? source.reply : undefined

/** Answers once there is something to send. */
export const respond = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  info: ExportInfo,
  source: Export,
  { format, encoding, headers, idleMillis }: ResponseOptions,
) {
  const first = yield* source.next
  const trailerReply = format === "json" ? undefined : replyWithTrailers(request)
  const parts = partsOf({
    frame: frameOf(format, info),
    source,
    first,
    onEnd: (end) => trailerReply?.addTrailers(trailersOf(info, end)),
    idleMillis,
    onIdle: () => body.destroy(new Error("the client reads nothing")),
  })
  const body = streamedParts(parts, encoding)
  return HttpServerResponse.raw(Equal.byReferenceUnsafe(body), {
    contentType: exportFormats[format],
    headers: {
      ...headers,
      "x-cache": info.cache,
      ...(format === "json" ? {} : headersOf(info, trailerReply !== undefined)),
      ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    },
  })
})
