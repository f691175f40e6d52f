import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Health } from "#src/platform/telemetry/Health.ts"
import { OpsApi } from "../Api.ts"

export const SystemHandlers = HttpApiBuilder.group(
  OpsApi,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const health = yield* Health
    return handlers.handleAll({
      health: () => Effect.succeed({ status: "ok" as const }),
      ready: () =>
        Effect.flatMap(health.report, (report) =>
          report.status === "ready" ? Effect.succeed(report) : Effect.fail(report),
        ),
    })
  }),
)
