import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { describe } from "#src/platform/sqlFailure.ts"
import { Status } from "#src/status/Status.ts"
import { Api } from "../Api.ts"
import { Unavailable } from "../errors.ts"

export const StatusHandlers = HttpApiBuilder.group(
  Api,
  "status",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* Status
    return handlers.handleAll({
      overview: () =>
        Effect.catch(status.overview, (error) =>
          Effect.andThen(
            Effect.logWarning(`status: ${describe(error)}`),
            new Unavailable({ error: "A store does not answer at the moment.", hint: "Try again in a few seconds." }),
          ),
        ),
    })
  }),
)
