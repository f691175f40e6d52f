import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { version } from "#src/platform/process/version.ts"
import { StrictInput } from "../middleware/StrictInput.ts"
import { describedParameters, type Group } from "../openapi/parameters.ts"
import { AccountsGroup } from "./accounts/group.ts"
import { ActorsGroup } from "./actors/group.ts"
import { ChecksGroup } from "./checks/group.ts"
import { DeliveriesGroup } from "./deliveries/group.ts"
import { EventLogGroup } from "./events/group.ts"
import { JobsGroup } from "./jobs/group.ts"
import { LimitsGroup } from "./limits/group.ts"
import { OperatorAccess } from "./OperatorAccess.ts"
import { OverviewGroup } from "./overview/group.ts"
import { ProcessesGroup } from "./processes/group.ts"
import { SettingsGroup } from "./settings/group.ts"
import { SourcesGroup } from "./sources/group.ts"

const description = `What the page [/console](/console) shows and does.

**Access**: requests from the machine itself need nothing. From elsewhere, send \`Authorization: Bearer <CONSOLE_TOKEN>\`. API keys do
not count, and requests that a proxy forwards are never from the machine itself. Changes need the header \`x-presage-console: 1\`.
Every change is in the audit.

**Errors** are JSON with an \`error\` message and often a \`hint\`.`

const base = HttpApi.make("presage-ops").annotateMerge(
  OpenApi.annotations({
    title: "Presage operations",
    version,
    description,
    transform: (document): Record<string, unknown> => withToken(describedParameters(document, allGroups())),
  }),
)

/** The API of operators. It has its own document and is no part of the public one. */
export class OperatorApi extends base
  .add(
    OverviewGroup,
    SourcesGroup,
    ActorsGroup,
    JobsGroup,
    EventLogGroup,
    DeliveriesGroup,
    ProcessesGroup,
    LimitsGroup,
    SettingsGroup,
    AccountsGroup,
    ChecksGroup,
  )
  .middleware(StrictInput)
  .middleware(OperatorAccess) {}

function allGroups(): ReadonlyArray<Group> {
  return Object.values(OperatorApi.groups)
}

interface Secured {
  readonly components?: Readonly<Record<string, unknown>>
}

/** Documents the token; on the machine itself it is not needed. */
const withToken = ({ components, ...document }: Secured & Record<string, unknown>): Record<string, unknown> => ({
  ...document,
  security: [{ token: [] }, {}],
  components: { ...components, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
})
