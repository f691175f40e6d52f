import { Layer } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { OperatorApi } from "./Api.ts"
import { AccountsHandlers } from "./accounts/handlers.ts"
import { ActorsHandlers } from "./actors/handlers.ts"
import { ChecksHandlers } from "./checks/handlers.ts"
import { DeliveriesHandlers } from "./deliveries/handlers.ts"
import { EventLogHandlers } from "./events/handlers.ts"
import { JobsHandlers } from "./jobs/handlers.ts"
import { LimitsHandlers } from "./limits/handlers.ts"
import { OperatorAccessLive } from "./OperatorAccess.ts"
import { OverviewHandlers } from "./overview/handlers.ts"
import { ProcessesHandlers } from "./processes/handlers.ts"
import { SettingsHandlers } from "./settings/handlers.ts"
import { SourcesHandlers } from "./sources/handlers.ts"

/** `/ops/v1`, for operators. */
export const operatorRoutes = HttpApiBuilder.layer(OperatorApi, { openapiPath: "/ops/v1/openapi.json" }).pipe(
  Layer.provide([
    OverviewHandlers,
    SourcesHandlers,
    ActorsHandlers,
    JobsHandlers,
    EventLogHandlers,
    DeliveriesHandlers,
    ProcessesHandlers,
    LimitsHandlers,
    SettingsHandlers,
    AccountsHandlers,
    ChecksHandlers,
  ]),
  Layer.provide(OperatorAccessLive),
)
