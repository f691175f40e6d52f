import { Clock, Duration, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { TickSegments } from "#src/ticks/segments/TickSegments.ts"
import { Api } from "../Api.ts"
import { allowTime } from "../server/deadline.ts"
import { unavailable } from "../server/errors.ts"
import { defaultLimit } from "./group.ts"
import { respond } from "./respond.ts"

/** The first request for a day reads more than a statement of a usual request may. */
const loadTime = Duration.seconds(10)

export const TicksHandlers = HttpApiBuilder.group(
  Api,
  "ticks",
  Effect.fnUntraced(function* (handlers) {
    const segments = yield* TickSegments
    return handlers.handleRaw("list", ({ query, request }) =>
      Effect.gen(function* () {
        const { symbol, from, to, limit = defaultLimit, source } = query
        allowTime(request, loadTime)
        const range = { coin: symbol, source, from, to, limit }
        const found = yield* Effect.catch(segments.select(range), unavailable("ticks"))
        return yield* respond(range, found, request, yield* Clock.currentTimeMillis)
      }),
    )
  }),
)
