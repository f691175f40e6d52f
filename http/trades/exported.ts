import { Clock, Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { postgresExportTimeout } from "#src/platform/config/settings.ts"
import { Exports } from "#src/trades/Exports.ts"
import type { ExportRange } from "#src/trades/model.ts"
import { exportIdle, exportStartWithin } from "#src/trades/settings.ts"
import { vary } from "../caching/cacheHeaders.ts"
import { chooseEncoding } from "../caching/chooseEncoding.ts"
import { notAcceptable } from "../caching/sendCached.ts"
import { readUnixRange } from "../input/unixRange.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { allowTime } from "../server/deadline.ts"
import { chooseFormat, exportFormats, noSuchFormat } from "../v3/formats.ts"
import { noExport, tooManyExports } from "./refusals.ts"
import { respond } from "./respond.ts"

/** The start of 2024 in UTC. */
const firstSecond = 1_704_067_200

const headers = { vary: `accept, ${vary}`, "cache-control": "private, no-cache" }

/** Answers with all trades of a wallet or token, as a stream. */
export const exportResponder = Effect.gen(function* () {
  const exports = yield* Exports
  const config = yield* Configuration
  const clock = yield* Clock.Clock

  return (
    whose: Pick<ExportRange, "subject" | "id">,
    subject: Readonly<Record<string, string>>,
    query: { readonly from?: number; readonly to?: number },
    request: HttpServerRequest,
  ) =>
    Effect.gen(function* () {
      const startedAt = clock.currentTimeMillisUnsafe()
      const { from, to } = yield* readUnixRange(query, {
        where: "param",
        nowMillis: startedAt,
        begin: () => firstSecond,
      })
      const format = chooseFormat(request.headers["accept"])
      if (format === undefined) return noSuchFormat
      const encoding = chooseEncoding(request.headers["accept-encoding"])
      if (encoding === "none") return notAcceptable
      // HEAD has no body, so no search is needed.
      if (request.method === "HEAD")
        return HttpServerResponse.empty({
          status: 200,
          headers: { ...headers, "content-type": exportFormats[format] },
        })

      const { account } = yield* CurrentCaller
      const range = { ...whose, from, to }
      const source = yield* exports.open(account, range, format === "csv" ? "csv" : "json", query.to !== undefined)
      // The first trades of a long history can take as long as a statement of an export may.
      allowTime(request, Duration.sum(config.get(exportStartWithin), config.get(postgresExportTimeout)))
      const info = {
        subject,
        from,
        to: source.to,
        coverage: shownCoverage(source.covers),
        cache: source.isKept ? ("hit" as const) : ("miss" as const),
        tookMillis: () => clock.currentTimeMillisUnsafe() - startedAt,
      }
      const idleMillis = Duration.toMillis(config.get(exportIdle))
      return yield* respond(request, info, source, { format, encoding, headers, idleMillis })
    }).pipe(
      Effect.catchTags({
        ExportsBusy: (busy) => Effect.succeed(tooManyExports(busy)),
        SharedRunFailed: noExport,
        SharedRunLost: noExport,
        SharedRunNotStarted: noExport,
        RedisFailure: noExport,
        SqlError: noExport,
      }),
    )
})
