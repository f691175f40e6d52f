import { Effect, Layer, Schema } from "effect"
import { Flag } from "effect/unstable/cli"
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

export const limit = Flag.Int("limit").pipe(
  Flag.withDescription("How many to print at most"),
  Flag.filter(
    (count) => count >= 1 && count <= 100_000,
    () => "a whole number from 1 to 100000",
  ),
  Flag.withDefault(1000),
)

const migrated = Layer.effectDiscard(Effect.flatMap(Stores, ({ databaseUrl }) => migrate(databaseUrl, migrations)))

/** The stores with their tables, for a command that ends soon. */
export const storesFor = (set: Readonly<Record<string, string>>) =>
  clients.pipe(Layer.provideMerge(migrated), Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(configured(set)))

/** Accounts and keys, for a command that ends soon. */
export const keysFor = (set: Readonly<Record<string, string>>) =>
  Keys.layer.pipe(Layer.provide(Secrets.layer), Layer.provide(storesFor(set)))
