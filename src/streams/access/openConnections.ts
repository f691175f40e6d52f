import { Effect } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { keys } from "#src/mesh/Keys.ts"
import type { Redis } from "#src/platform/redis/Redis.ts"
import type { LeaseKind } from "./caps.ts"

/** Connections of an account that are open now, over all gateways. */
export const openConnections = (redis: Redis["Service"], account: AccountId, kind: LeaseKind) =>
  Effect.flatMap(
    redis.run((client) => client.time()),
    ([seconds]) =>
      redis.run((client) =>
        client.zcount(keys(redis.prefix).connections(account, kind), Number(seconds) * 1000, "+inf"),
      ),
  )
