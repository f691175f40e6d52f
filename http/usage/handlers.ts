import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Quota } from "#src/limits/Quota.ts"
import { socialUnits } from "#src/social/units.ts"
import { currentMonth } from "#src/usage/model.ts"
import { Usage } from "#src/usage/Usage.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { unavailable } from "../server/errors.ts"
import { makeLimits } from "./limits.ts"

export const UsageHandlers = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const usage = yield* Usage
    const quota = yield* Quota
    const limitsOf = yield* makeLimits
    return handlers.handleAll({
      month: Effect.fnUntraced(function* ({ query }) {
        const { account, plan } = yield* CurrentCaller
        const month = query.month ?? (yield* currentMonth)
        const { name, perMonth } = socialUnits
        const report = Effect.all([usage.month(account, month), quota.used(account, name, `${month}-01`)])
        const [counted, used] = yield* Effect.catch(report, unavailable("usage"))
        return { ...counted, quotas: [{ quota: name, used, limit: perMonth[plan] }] }
      }),
      limits: () => Effect.flatMap(CurrentCaller, (caller) => Effect.catch(limitsOf(caller), unavailable("limits"))),
    })
  }),
)
