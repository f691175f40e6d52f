import { Effect, Equal } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { Export } from "#src/trades/Exports.ts"
import type { Acceptable } from "../caching/chooseEncoding.ts"
import { Incoming } from "../server/Exchange.ts"
import { streamedParts } from "../ticks/body.ts"
import { type ExportForm, exportForms } from "./chooseForm.ts"
import { type Asked, frameOf, headersOf, trailersOf } from "./frames.ts"
import { partsOf } from "./parts.ts"

export interface Wanted {
  readonly form: ExportForm
  readonly encoding: Acceptable
  readonly headers: Readonly<Record<string, string>>
  /** How long a client may take nothing. */
  readonly idleMillis: number
}

/** Where something can be told behind a body: in chunks, which HTTP/1.0 does not have. */
const replyWithTrailers = ({ source }: HttpServerRequest) =>
  source instanceof Incoming && source.httpVersion === "1.1" ? source.reply : undefined

/** Answers once there is something to send. */
export const respond = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  asked: Asked,
  coming: Export,
  { form, encoding, headers, idleMillis }: Wanted,
) {
  const first = yield* coming.next
  const behind = form === "json" ? undefined : replyWithTrailers(request)
  const parts = partsOf({
    frame: frameOf(form, asked),
    coming,
    first,
    onEnd: (end) => behind?.addTrailers(trailersOf(asked, end)),
    idleMillis,
    onIdle: () => body.destroy(new Error("the client takes nothing")),
  })
  const body = streamedParts(parts, encoding)
  return HttpServerResponse.raw(Equal.byReferenceUnsafe(body), {
    contentType: exportForms[form],
    headers: {
      ...headers,
      "x-cache": asked.cache,
      ...(form === "json" ? {} : headersOf(asked, behind !== undefined)),
      ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    },
  })
})
