import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as HttpApiSchema from "effect/unstable/httpapi/HttpApiSchema"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { KeyId } from "#src/domain/Account.ts"
import { Plan } from "#src/domain/Plan.ts"
import { KeyName } from "#src/keys/model.ts"
import { keyOptional } from "../access/Rule.ts"
import { Misdirected } from "../middleware/hostGuard.ts"
import { Conflict, NotFound, Unavailable } from "../server/errors.ts"

const Issued = Schema.Struct({
  id: KeyId.annotate({ description: "Names the key in requests that revoke or rotate it" }),
  api_key: Schema.String.annotate({ description: "The key; shown only once" }),
  name: Schema.String,
  rate_limit_per_minute: Schema.Int,
  message: Schema.String,
})
  .pipe(HttpApiSchema.status(201))
  .annotate({ identifier: "IssuedKey" })

const Key = Schema.Struct({
  id: KeyId,
  name: Schema.String,
  key: Schema.String.annotate({ description: "Its first and last characters, to identify it" }),
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String).annotate({
    description: "Last request or stream with the key, a few seconds behind (setting usage.flush); null if never used",
  }),
  is_this: Schema.Boolean.annotate({ description: "Whether this request used the key" }),
}).annotate({ identifier: "ApiKey" })

const KeyRequest = Schema.Struct({
  name: Schema.optionalKey(
    Schema.NullOr(KeyName).annotate({ description: "1 to 100 characters; `unnamed` by default" }),
  ),
}).annotate({ identifier: "NewKey" })

const params = { id: KeyId.annotate({ description: "id of a key, as listed by GET /v1/keys" }) }

const create = HttpApiEndpoint.post("create", "/v1/keys", {
  payload: [KeyRequest, Schema.Null],
  success: Issued,
  error: [Conflict, Misdirected, Unavailable],
})
  .annotateMerge(keyOptional())
  .annotateMerge(
    OpenApi.annotations({
      summary: "Create a key",
      description:
        "Without a key, creates a free account with one key, limited to one per address and UTC day; the body is optional. With a key, creates another key for the same account, up to the limit of its plan. The key is shown only in this answer.",
    }),
  )

const list = HttpApiEndpoint.get("list", "/v1/keys", {
  success: Schema.Struct({
    keys: Schema.Array(Key).annotate({
      description: "Active keys first, then revoked ones, newest first; at most 200",
    }),
    plan: Plan,
    keys_allowed: Schema.Int,
  }).annotate({ identifier: "ApiKeyList" }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "List keys", description: "The keys of the account, without the keys themselves." }),
)

const revoke = HttpApiEndpoint.delete("revoke", "/v1/keys/:id", {
  params,
  success: Key,
  error: [NotFound, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Revoke a key",
    description:
      "The key is refused everywhere immediately, or after at most 5 seconds (setting keys.cache). A key may revoke itself.",
  }),
)

const rename = HttpApiEndpoint.put("rename", "/v1/keys/:id", {
  params,
  payload: Schema.Struct({ name: KeyName.annotate({ description: "1 to 100 characters" }) }).annotate({
    identifier: "KeyRename",
  }),
  success: Key,
  error: [NotFound, Unavailable],
}).annotateMerge(OpenApi.annotations({ summary: "Rename a key", description: "The key itself stays the same." }))

const rotate = HttpApiEndpoint.post("rotate", "/v1/keys/:id/rotate", {
  params,
  success: Issued,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Rotate a key",
    description: "Creates a new key with the same name and revokes the old one atomically.",
  }),
)

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(create, list, rename, revoke, rotate)
  .annotateMerge(OpenApi.annotations({ title: "Keys", description: "API keys of the account." })) {}
