import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { eventTypeInfos } from "#src/webhooks/eventTypes.ts"
import { webhooksConfirmations } from "#src/webhooks/settings.ts"
import { filterJsonSchema, filterNames } from "#src/webhooks/subscriptions/filterFields.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { deliveriesHandlers } from "./deliveries/handler.ts"
import { previewHandler } from "./preview/handler.ts"
import { subscriptionsHandlers } from "./subscriptions/handler.ts"
import { testHandler } from "./test/handler.ts"
import { shownHealth, shownType, storeFailed } from "./translate.ts"

export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* Deliveries
    const config = yield* Configuration
    const filters = Object.fromEntries(filterNames.map((name) => [name, filterJsonSchema(name)]))

    return handlers.handleAll({
      ...(yield* subscriptionsHandlers),
      ...(yield* deliveriesHandlers),
      preview: yield* previewHandler,
      test: yield* testHandler,
      eventTypes: () =>
        Effect.sync(() => ({
          event_types: Object.values(eventTypeInfos).map(shownType(config.get(webhooksConfirmations))),
          filters,
        })),
      health: Effect.fnUntraced(function* () {
        const { account } = yield* CurrentCaller
        const found = yield* Effect.catch(deliveries.health(account), storeFailed)
        return { webhooks: found.map(shownHealth) }
      }),
    })
  }),
)
