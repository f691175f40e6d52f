import { Effect } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { mostFollowed } from "#src/copy-pnl/model.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import { readAddresses, readBody } from "../input.ts"
import { shownAdded, storeFailed } from "../translate.ts"

const addressesIn = (request: HttpServerRequest) =>
  Effect.flatMap(Effect.orDie(request.text), (text) => readAddresses(readBody(text)))

/** The wallets that an account follows. */
export const walletsHandlers = Effect.map(CopyPools, (pools) => ({
  add: Effect.fnUntraced(function* ({ request }: { readonly request: HttpServerRequest }) {
    const { account } = yield* CurrentCaller
    const wallets = yield* addressesIn(request)
    return shownAdded(yield* Effect.catch(pools.follow(account, wallets), storeFailed))
  }),
  remove: Effect.fnUntraced(function* ({ request }: { readonly request: HttpServerRequest }) {
    const { account } = yield* CurrentCaller
    const wallets = yield* addressesIn(request)
    return { ...(yield* Effect.catch(pools.unfollow(account, wallets), storeFailed)), max: mostFollowed }
  }),
  list: Effect.fnUntraced(function* () {
    const { account } = yield* CurrentCaller
    const wallets = yield* Effect.catch(pools.list(account), storeFailed)
    return { wallets, count: wallets.length, max: mostFollowed }
  }),
}))
