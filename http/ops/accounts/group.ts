import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as HttpApiSchema from "effect/unstable/httpapi/HttpApiSchema"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { AccountId } from "#src/domain/Account.ts"
import { Plan } from "#src/domain/Plan.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"
import { limitOf } from "../../input/page.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { about, moment } from "../shapes.ts"

const Account = Schema.Struct({
  id: AccountId,
  name: Schema.String,
  plan: Plan,
  active: Schema.Boolean.annotate({ description: "Whether its keys are accepted" }),
  standard_per_minute: about("Limit in effect"),
  heavy_per_minute: about("Limit in effect"),
  own_limits: Schema.Struct({
    standard_per_minute: Schema.NullOr(Schema.Number),
    heavy_per_minute: Schema.NullOr(Schema.Number),
  }).annotate({ description: "Instead of the plan's; null where the plan's applies" }),
  created_at: moment,
})

const list = HttpApiEndpoint.get("list", "/ops/v1/accounts", {
  query: { limit: limitOf("accounts", { default: 200, max: 1000 }) },
  success: Schema.Struct({
    accounts: Schema.Array(Schema.Struct({ ...Account.fields, keys: about("Active keys") })),
  }),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "List accounts", description: "Newest first." }))

const create = HttpApiEndpoint.post("create", "/ops/v1/accounts", {
  payload: Schema.Struct({
    name: KeyName,
    plan: Plan,
    with_key: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Also create a key; true by default. It is shown only once" }),
    ),
  }),
  success: Schema.Struct({
    account: Account,
    api_key: Schema.NullOr(Schema.String).annotate({ description: "The key; shown only once" }),
  }).pipe(HttpApiSchema.status(201)),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "Create an account", description: "Audited." }))

const limit = (what: string) =>
  Schema.optionalKey(
    Schema.NullOr(PerMinute).annotate({ description: `${what} per minute; null restores the limit of the plan` }),
  )

const change = HttpApiEndpoint.patch("change", "/ops/v1/accounts/:id", {
  params: { id: AccountId.annotate({ description: "id of an account" }) },
  payload: Schema.Struct({
    plan: Schema.optionalKey(Plan),
    active: Schema.optionalKey(Schema.Boolean),
    standard_per_minute: limit("Requests"),
    heavy_per_minute: limit("Heavy requests"),
  }),
  success: Account,
  error: [BadInput, NotFound, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change an account",
    description: "Its plan, its limits, or whether its keys are accepted. Omitted fields stay. Audited.",
  }),
)

export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(list, create, change)
  .annotateMerge(OpenApi.annotations({ title: "Accounts", description: "Accounts with their plans and limits." })) {}
