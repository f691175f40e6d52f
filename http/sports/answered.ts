import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { Sourced } from "#src/sports/model.ts"
import { shownOrigin } from "./translate.ts"

/** An answer with its origin, which also says how old it is. */
export const answered = (
  body: Readonly<Record<string, unknown>>,
  sourced: Sourced<unknown>,
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const origin = shownOrigin(sourced, now)
    return HttpServerResponse.jsonUnsafe(
      { ...body, ...origin },
      { headers: { "x-data-age-ms": String(origin.age_ms) } },
    )
  })
