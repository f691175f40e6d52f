import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Status } from "#src/status/Status.ts"
import { Api } from "../Api.ts"
import { unavailable } from "../server/errors.ts"

export const StatusHandlers = HttpApiBuilder.group(
  Api,
  "status",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* Status
    return handlers.handleAll({
      overview: () => Effect.catch(status.overview, unavailable("status")),
    })
  }),
)
