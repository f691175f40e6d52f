import { Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { compressedBytes, encodingOf } from "./representation.ts"

/** An answer that is sent once, in an encoding that the client accepts. One that accepts none gets it as it is. */
export const compressed = ({ headers }: Pick<HttpServerRequest, "headers">) =>
  Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
    const { body } = response
    if (body._tag !== "Uint8Array" || response.headers["content-encoding"] !== undefined) return response
    const encoding = encodingOf(body.body.byteLength, headers["accept-encoding"])
    if (encoding === "identity" || encoding === "none")
      return HttpServerResponse.setHeader(response, "vary", "accept-encoding")
    const bytes = yield* Effect.promise(() => compressedBytes(Buffer.from(body.body), encoding))
    return HttpServerResponse.setHeaders(
      HttpServerResponse.uint8Array(bytes, { status: response.status, contentType: body.contentType }),
      {
        ...response.headers,
        "content-length": String(bytes.byteLength),
        "content-encoding": encoding,
        vary: "accept-encoding",
      },
    )
  })
