import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { describe } from "../openapi/describe.ts"
import { BadInput, Conflict, NotFound, Unavailable } from "../server/errors.ts"
import { QueryParameter, ResolvedUser } from "./shapes.ts"

const resolve = HttpApiEndpoint.get("resolve", "/v1/resolve/:query", {
  params: { query: QueryParameter },
  success: ResolvedUser,
  error: [BadInput, NotFound, Conflict, Unavailable],
}).annotateMerge(
  describe(
    "Wallets of a user",
    "/v1/resolve/0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    `The wallets behind a user name, a key or a wallet. Addresses follow from the key by the rules of the venue's factories; the node says
which of them are deployed and who owns a wallet. What it cannot say is null, and \`hint\` explains it. A name that only differs in case is
found unless several users have it, which is 409.`,
  ),
)

export class ResolveGroup extends HttpApiGroup.make("resolve")
  .add(resolve)
  .annotateMerge(OpenApi.annotations({ title: "Resolve", description: "Users, keys and wallets." })) {}
