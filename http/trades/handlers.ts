import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { hexOfToken } from "#src/domain/TokenId.ts"
import { Api } from "../Api.ts"
import { exportResponder } from "./exported.ts"

export const TradesHandlers = HttpApiBuilder.group(
  Api,
  "trades",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* exportResponder
    return handlers
      .handleRaw("all", ({ params: { address }, query, request }) =>
        answer({ subject: "wallet", id: address.slice(2) }, { wallet: address }, query, request),
      )
      .handleRaw("allOfToken", ({ params: { token_id }, query, request }) =>
        answer({ subject: "token", id: hexOfToken(token_id) }, { token_id }, query, request),
      )
  }),
)
