import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SocialFailed } from "#src/social/model.ts"
import { budgetMillis, Social } from "#src/social/Social.ts"
import { Api } from "../Api.ts"
import { allowTime } from "../server/deadline.ts"
import { failureResponse, postsResponse } from "./translate.ts"

const failed = (failure: SocialFailed) => Effect.map(Clock.currentTimeMillis, (now) => failureResponse(failure, now))

export const SocialHandlers = HttpApiBuilder.group(
  Api,
  "social",
  Effect.fnUntraced(function* (handlers) {
    const social = yield* Social
    return handlers
      .handleRaw("search", ({ query: { q, max = 20 }, request }) => {
        allowTime(request, budgetMillis)
        return social.search(q.query, max).pipe(
          Effect.map((found) => postsResponse({ query: q.text }, found)),
          Effect.catch(failed),
        )
      })
      .handleRaw("timeline", ({ params: { handle }, query: { max = 30 }, request }) => {
        allowTime(request, budgetMillis)
        return social.timeline(handle, max).pipe(
          Effect.map((found) => postsResponse({ handle: found.handle }, found)),
          Effect.catch(failed),
        )
      })
  }),
)
