import { Clock, Duration, Effect, Equal } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Configuration } from "#src/platform/Configuration.ts"
import { Exports } from "#src/trades/Exports.ts"
import type { ExportEnd } from "#src/trades/model.ts"
import { exportIdle } from "#src/trades/settings.ts"
import { Api } from "../Api.ts"
import { vary } from "../caching/cacheHeaders.ts"
import { chooseEncoding } from "../caching/chooseEncoding.ts"
import { notAcceptable } from "../caching/sendCached.ts"
import { CurrentCaller } from "../middleware/Gate.ts"
import { Incoming } from "../server/Exchange.ts"
import { streamedParts } from "../ticks/body.ts"
import { chooseForm, exportForms } from "../trades/chooseForm.ts"
import { type Asked, frameOf, headersOf, trailersOf } from "../trades/frames.ts"
import { partsOf } from "../trades/parts.ts"
import { readRange } from "../trades/readRange.ts"
import { noExport, noSuchForm, tooManyExports } from "../trades/refusals.ts"

const tellBehind =
  ({ source }: HttpServerRequest, asked: Asked) =>
  (end: ExportEnd) => {
    if (source instanceof Incoming) source.reply?.addTrailers(trailersOf(asked, end))
  }

export const TradesHandlers = HttpApiBuilder.group(
  Api,
  "trades",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* Exports
    const config = yield* Configuration
    const clock = yield* Clock.Clock

    return handlers.handleRaw("all", ({ params, query, request }) =>
      Effect.gen(function* () {
        const startedAt = clock.currentTimeMillisUnsafe()
        const { from, to } = yield* readRange(query, startedAt)
        const form = chooseForm(request.headers["accept"])
        if (form === undefined) return noSuchForm
        const encoding = chooseEncoding(request.headers["accept-encoding"])
        if (encoding === "none") return notAcceptable
        const shared = { vary: `accept, ${vary}`, "cache-control": "private, no-cache" }
        const contentType = exportForms[form]
        // Nobody would see what is found.
        if (request.method === "HEAD")
          return HttpServerResponse.empty({ status: 200, headers: { ...shared, "content-type": contentType } })

        const { account } = yield* CurrentCaller
        const range = { wallet: params.address.slice(2), from, to }
        const coming = yield* exports.open(account, range, form === "csv" ? "csv" : "json")
        const first = yield* coming.next
        const asked: Asked = {
          ...range,
          wallet: params.address,
          cache: coming.isKept ? "hit" : "miss",
          tookMillis: () => clock.currentTimeMillisUnsafe() - startedAt,
        }
        const parts = partsOf({
          frame: frameOf(form, asked),
          coming,
          first,
          onEnd: form === "json" ? () => undefined : tellBehind(request, asked),
          idleMillis: Duration.toMillis(config.get(exportIdle)),
          onIdle: () => body.destroy(new Error("the client takes nothing")),
        })
        const body = streamedParts(parts, encoding)
        const headers = {
          ...shared,
          "x-cache": asked.cache,
          ...(form === "json" ? {} : headersOf(asked)),
          ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
        }
        return HttpServerResponse.raw(Equal.byReferenceUnsafe(body), { contentType, headers })
      }).pipe(
        Effect.catchTags({
          ExportsBusy: (busy) => Effect.succeed(tooManyExports(busy)),
          FlightFailed: noExport,
          FlightLost: noExport,
          FlightNotTaken: noExport,
          RedisFailure: noExport,
          SqlError: noExport,
        }),
      ),
    )
  }),
)
