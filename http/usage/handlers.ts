import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { currentMonth } from "#src/usage/model.ts"
import { Usage } from "#src/usage/Usage.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { unavailable } from "../server/errors.ts"

export const UsageHandlers = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const usage = yield* Usage
    return handlers.handleAll({
      month: Effect.fnUntraced(function* ({ query }) {
        const { account } = yield* CurrentCaller
        const month = query.month ?? (yield* currentMonth)
        return yield* Effect.catch(usage.month(account, month), unavailable("usage"))
      }),
    })
  }),
)
