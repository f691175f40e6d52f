import { Effect, Layer, type Redacted, Schema } from "effect"
import { migrations } from "#migrations/index.ts"
import { Keys } from "#src/keys/Keys.ts"
import { Secrets } from "#src/keys/Secrets.ts"
import { migrate } from "#src/platform/migrate.ts"
import { clients, Stores } from "#src/roles/Foundation.ts"
import { configured } from "./configured.ts"

/** What was asked for makes no sense, and nothing was done. */
export class KeysCommandRefused extends Schema.TaggedError<KeysCommandRefused>()("KeysCommandRefused", {
  reason: Schema.String,
}) {
  override get message() {
    return this.reason
  }
}

const migrated = Layer.effectDiscard(Effect.flatMap(Stores, ({ databaseUrl }) => migrate(databaseUrl, migrations)))

/** The stores with their tables, for a command that ends soon. */
export const storesFor = (set: Readonly<Record<string, string>>) =>
  clients.pipe(Layer.provideMerge(migrated), Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(configured(set)))

/** Accounts and keys, for a command that ends soon. */
export const keysFor = (set: Readonly<Record<string, string>>) =>
  Keys.layer.pipe(Layer.provide(Secrets.layer), Layer.provide(storesFor(set)))
