import { Effect, Layer, Schema } from "effect"
import { Flag } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { KeyName, unnamed } from "#src/keys/model.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { clients, Stores } from "#src/roles/Foundation.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { configured } from "./configured.ts"

/** What was asked for makes no sense, and nothing was done. */
export class KeysCommandRefused extends Schema.TaggedError<KeysCommandRefused>()("KeysCommandRefused", {
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

const decodeWith =
  <A>(schema: Schema.Codec<A, string>, hint: string) =>
  (given: string): Effect.Effect<A, KeysCommandRefused> =>
    Effect.mapError(
      Schema.decodeEffect(schema)(given),
      (problem) => new KeysCommandRefused({ reason: `${JSON.stringify(given)}: ${hint || problem.message}` }),
    )

// Not checked by the flags themselves, whose failures repeat what was given: somebody will give a key.
export const asKeyId = decodeWith(KeyId, "the id of a key is a UUID; 'presage keys list' shows them")
export const asAccountId = decodeWith(AccountId, "the id of an account is a UUID; 'presage accounts list' shows them")
export const asName = decodeWith(KeyName, "")

export const name = Flag.String("name").pipe(
  Flag.withDescription("What to call it, in at most 100 characters"),
  Flag.withDefault(unnamed),
)

export const limitTo = (usual: number) =>
  Flag.Int("limit").pipe(
    Flag.withDescription(`How many to print at most (${usual} unless given)`),
    Flag.filter(
      (count) => count >= 1 && count <= 100_000,
      () => "a whole number from 1 to 100000",
    ),
    Flag.withDefault(usual),
  )
export const limit = limitTo(1000)

const migrated = Layer.effectDiscard(Effect.flatMap(Stores, ({ databaseUrl }) => migrate(databaseUrl, migrations)))

/** The stores with their tables, for a command that ends soon. */
export const storesFor = (set: Readonly<Record<string, string>>) =>
  clients.pipe(Layer.provideMerge(migrated), Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(configured(set)))

/** Accounts and keys, for a command that ends soon. */
export const keysFor = (set: Readonly<Record<string, string>>) =>
  accountKeys.pipe(Layer.provide(Secrets.layer), Layer.provide(storesFor(set)))
