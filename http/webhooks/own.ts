import { Effect } from "effect"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { idOf, notDone } from "./translate.ts"

/** The webhook of a path, if it belongs to the caller's account. */
export const ownWebhook = Effect.map(Webhooks, (webhooks) =>
  Effect.fnUntraced(function* (path: string) {
    const { account } = yield* CurrentCaller
    return yield* Effect.catch(webhooks.get(account, yield* idOf(path)), notDone)
  }),
)
