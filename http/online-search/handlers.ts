import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { budgetMillis, OnlineSearch } from "#src/online-search/OnlineSearch.ts"
import { Api } from "../Api.ts"
import { allowTime } from "../server/deadline.ts"
import { BadInput } from "../server/errors.ts"
import { answerJson, enginesOf, failureResponse } from "./translate.ts"

const noStore = { "cache-control": "private, no-store" }

export const OnlineSearchHandlers = HttpApiBuilder.group(
  Api,
  "online-search",
  Effect.fnUntraced(function* (handlers) {
    const online = yield* OnlineSearch
    return handlers.handleRaw(
      "search",
      Effect.fnUntraced(function* ({ query, request }) {
        allowTime(request, budgetMillis)
        const start = yield* Clock.currentTimeMillis
        const engines = enginesOf(query.engines, online.engines())
        if (engines instanceof BadInput) return yield* engines
        const asked = online.search({
          text: query.q,
          engines,
          language: query.language ?? "en-US",
          timeRange: query.time_range,
          safeSearch: safeSearchOf[query.safe_search ?? "0"],
          cacheSeconds: query.cache_ttl_seconds ?? 600,
        })
        const now = yield* Effect.result(asked)
        if (now._tag === "Failure") return failureResponse(now.failure)
        const { findings, isCached } = now.success
        const elapsedMillis = (yield* Clock.currentTimeMillis) - start
        const shown = { query: query.q, engines, maxResults: query.max_results ?? 10, isCached, elapsedMillis }
        return HttpServerResponse.jsonUnsafe(answerJson(findings, shown), { headers: noStore })
      }),
    )
  }),
)

const safeSearchOf = { "0": 0, "1": 1, "2": 2 } as const
