import { Context, Effect, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { acquire, type StoreAddresses } from "#src/platform/embedded/Stores.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Addresses of the two stores: embedded, joined or configured. */
export class Stores extends Context.Service<Stores, StoreAddresses>()("presage/roles/Stores") {
  static readonly layer = Layer.suspend(() => Layer.effect(Stores, acquireStores(false)))
  /** For a short command: an instance that starts meanwhile does not depend on it. */
  static readonly briefLayer = Layer.suspend(() => Layer.effect(Stores, acquireStores(true)))
}

const acquireStores = Effect.fnUntraced(function* (brief: boolean) {
  const config = yield* Configuration
  const dir = config.get(settings.presageDir)
  const stores = yield* acquire({
    dir,
    databaseUrl: config.get(settings.databaseUrl),
    redisUrl: config.get(settings.redisUrl),
    brief,
  })
  const how = stores.joined ? "joined the running" : "started"
  if (stores.embedded.length > 0) yield* Effect.logInfo(`${how} ${stores.embedded.join(" and ")} of ${dir}`)
  return stores
})

export const clients = Layer.merge(
  Layer.unwrap(Effect.map(Stores, (stores) => Postgres.layer(stores.databaseUrl))),
  Layer.unwrap(Effect.map(Stores, (stores) => Redis.layer(stores.redisUrl))),
)
