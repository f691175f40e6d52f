import { Effect, Layer, Schema } from "effect"
import { Flag } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { KeyName, unnamed } from "#src/keys/model.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { clients, Stores } from "#src/roles/Stores.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { configured } from "./configured.ts"

/** The command is invalid; nothing was changed. */
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

// Not validated by the flags, whose errors quote the value: it may be a key, pasted by mistake.
export const asKeyId = decodeWith(KeyId, "the id of a key is a UUID, see 'presage keys list'")
export const asAccountId = decodeWith(AccountId, "the id of an account is a UUID, see 'presage accounts list'")
export const asName = decodeWith(KeyName, "")

export const name = Flag.String("name").pipe(
  Flag.withDescription("Name, at most 100 characters"),
  Flag.withDefault(unnamed),
)

export const limitTo = (defaultLimit: number) =>
  Flag.Int("limit").pipe(
    Flag.withDescription(`Maximum number to print (default ${defaultLimit})`),
    Flag.filter(
      (count) => count >= 1 && count <= 100_000,
      () => "a whole number from 1 to 100000",
    ),
    Flag.withDefault(defaultLimit),
  )
export const limit = limitTo(1000)

const migrated = Layer.effectDiscard(Effect.flatMap(Stores, ({ databaseUrl }) => migrate(databaseUrl, migrations)))

/** Migrated stores for a short command. */
export const storesFor = (set: Readonly<Record<string, string>>) =>
  clients.pipe(Layer.provideMerge(migrated), Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(configured(set)))

/** Accounts and keys for a short command. */
export const keysFor = (set: Readonly<Record<string, string>>) =>
  accountKeys.pipe(Layer.provide(Secrets.layer), Layer.provide(storesFor(set)))
