import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as HttpApiSchema from "effect/unstable/httpapi/HttpApiSchema"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { KeyId } from "#src/domain/Account.ts"
import { Plan } from "#src/domain/Plan.ts"
import { KeyName } from "#src/keys/model.ts"
import { keyOptional } from "../access/Rule.ts"
import { Conflict, NotFound, Unavailable } from "../errors.ts"

const Issued = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The key itself; shown this once" }),
  name: Schema.String,
  rate_limit_per_minute: Schema.Int,
  message: Schema.String,
}).pipe(HttpApiSchema.status(201))

const Key = Schema.Struct({
  id: KeyId,
  name: Schema.String,
  key: Schema.String.annotate({ description: "Its first and last characters, to tell keys apart" }),
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String),
  is_this: Schema.Boolean.annotate({ description: "The key that this request was made with" }),
})

const Wanted = Schema.Struct({
  name: Schema.optionalKey(
    Schema.NullOr(KeyName).annotate({ description: "1 to 100 characters; `unnamed` when left out" }),
  ),
})

const params = { id: KeyId.annotate({ description: "the id of a key, as GET /v1/keys tells it" }) }

const create = HttpApiEndpoint.post("create", "/v1/keys", {
  payload: [Wanted, Schema.Null],
  success: Issued,
  error: [Conflict, Unavailable],
})
  .annotateMerge(keyOptional())
  .annotateMerge(
    OpenApi.annotations({
      summary: "Get a key",
      description:
        "Without a key: a free account with one key, one per address and UTC day; the body may be left out. With a key: another one for the same account, as many as its plan has. The key is in this answer and nowhere else.",
    }),
  )

const list = HttpApiEndpoint.get("list", "/v1/keys", {
  success: Schema.Struct({
    keys: Schema.Array(Key).annotate({
      description: "Those that work first, then the revoked ones, newest first; at most 200",
    }),
    plan: Plan,
    keys_allowed: Schema.Int,
  }),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "The account's keys" }))

const revoke = HttpApiEndpoint.delete("revoke", "/v1/keys/:id", {
  params,
  success: Key,
  error: [NotFound, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Revoke a key",
    description:
      "It is refused everywhere at once, at the latest after 5 seconds (setting keys.cache). A key may revoke itself.",
  }),
)

const rotate = HttpApiEndpoint.post("rotate", "/v1/keys/:id/rotate", {
  params,
  success: Issued,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Replace a key",
    description: "Gives a new key of the same name and revokes the old one in the same moment.",
  }),
)

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(create, list, revoke, rotate)
  .annotateMerge(OpenApi.annotations({ title: "Keys", description: "API keys of an account." })) {}
