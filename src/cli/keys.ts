import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { plans } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type IssuedKey, issuedBody, type KeyRecord } from "#src/keys/model.ts"
import { abandonKeys } from "./abandonKeys.ts"
import { json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { asAccountId, asKeyId, asName, KeysCommandRefused, keysFor, limit, name, storesFor } from "./keyServices.ts"
import { print, printJson, printUnredacted, table } from "./print.ts"

const id = Argument.String("key").pipe(Argument.withDescription("Id of a key, from 'presage keys list'"))
const account = Flag.String("account").pipe(
  Flag.withDescription("Id of an account, from 'presage accounts list'"),
  Flag.optional,
)

/** A key as JSON, with the field names of the API. */
const keyJson = (key: KeyRecord) => ({
  id: key.id,
  account_id: key.account,
  name: key.name,
  key: key.shown,
  created_at: key.createdAt.toISOString(),
  revoked_at: key.revokedAt?.toISOString() ?? null,
})

/** Prints a new key in full. */
const reveal = (issued: IssuedKey, asJson: boolean) => {
  const body = issuedBody(issued)
  if (asJson) return printUnredacted(JSON.stringify(body, null, 2))
  const { record, account: of } = issued
  const lines = [
    body.api_key,
    `key ${record.id}, named ${JSON.stringify(record.name)}`,
    `account ${of.id}, plan ${of.plan}, ${body.rate_limit_per_minute} requests a minute`,
    body.message,
  ]
  return printUnredacted(lines.join("\n"))
}

const create = Command.make(
  "create",
  {
    plan: Flag.Literals("plan", plans).pipe(
      Flag.withDescription("Plan of the new account (default growth)"),
      Flag.optional,
    ),
    account,
    name,
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      if (Option.isSome(flags.account) && Option.isSome(flags.plan)) {
        return yield* new KeysCommandRefused({
          reason: "use either --plan for a new account or --account for an existing one",
        })
      }
      const name = yield* asName(flags.name)
      const into = Option.isSome(flags.account) ? yield* asAccountId(flags.account.value) : undefined
      const plan = Option.getOrElse(flags.plan, () => "growth" as const)
      const issued = yield* Effect.flatMap(
        Keys,
        (keys: Keys["Service"]): ReturnType<Keys["Service"]["createKey"]> =>
          into === undefined ? keys.open(plan, name) : keys.createKey(into, name),
      ).pipe(Effect.provide(keysFor(flags.set)))
      yield* reveal(issued, flags.json)
    }),
).pipe(
  Command.withDescription("Create a key, in a new account unless --account is given; the key is shown only once"),
  Command.withExamples([
    { command: "presage keys create --plan growth --name ada", description: "Create a key in a new account" },
  ]),
)

/** Read from stdin, because command lines are visible to other users and kept in shell histories. */
const keyFromInput = Effect.promise(async () => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Redacted.make(Buffer.concat(chunks).toString("utf8").trim())
})

const importKey = Command.make(
  "import",
  {
    account: Flag.String("account").pipe(Flag.withDescription("Id of an account, from 'presage accounts list'")),
    name,
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const account = yield* asAccountId(flags.account)
      const name = yield* asName(flags.name)
      const key = yield* keyFromInput
      const imported = Effect.flatMap(Keys, (keys) => keys.importKey(account, name, key))
      const record = yield* Effect.provide(imported, keysFor(flags.set))
      yield* flags.json ? printJson(keyJson(record)) : print(`imported ${record.shown} (key ${record.id})`)
    }),
).pipe(
  Command.withDescription(
    "Import a key that another service issued, read from stdin; it must start with keys.legacy-prefix",
  ),
  Command.withExamples([
    { command: "presage keys import --account ID --name ada < key.txt", description: "Let Ada keep her old key" },
  ]),
)

const list = Command.make("list", { account, limit, json, set }, (flags) =>
  Effect.gen(function* () {
    const of = Option.isSome(flags.account) ? yield* asAccountId(flags.account.value) : undefined
    const listed = Effect.flatMap(Keys, ({ listKeys }) => listKeys(of, flags.limit))
    const keys = yield* Effect.provide(listed, keysFor(flags.set))
    if (flags.json) return yield* printJson(keys.map(keyJson))
    const rows = keys.map((key) => [
      key.id,
      key.account,
      key.shown,
      key.createdAt.toISOString(),
      key.revokedAt?.toISOString() ?? "-",
      key.name,
    ])
    yield* print(table(["KEY", "ACCOUNT", "SHOWN", "CREATED", "REVOKED", "NAME"], rows))
  }),
).pipe(Command.withDescription("List keys: active ones first, newest first"))

const revoke = Command.make("revoke", { id, json, set }, (flags) =>
  Effect.gen(function* () {
    const id = yield* asKeyId(flags.id)
    const revoked = Effect.flatMap(Keys, (keys) => keys.revoke(id))
    const key = yield* Effect.provide(revoked, keysFor(flags.set))
    yield* flags.json
      ? printJson(keyJson(key))
      : print(`revoked ${key.shown} (key ${key.id}) of account ${key.account}`)
  }),
).pipe(Command.withDescription("Revoke a key; it stops working everywhere within seconds"))

const rotate = Command.make("rotate", { id, json, set }, (flags) =>
  Effect.gen(function* () {
    const id = yield* asKeyId(flags.id)
    const rotated = Effect.flatMap(Keys, (keys) => keys.rotate(id))
    yield* reveal(yield* Effect.provide(rotated, keysFor(flags.set)), flags.json)
  }),
).pipe(Command.withDescription("Replace a key with a new one of the same name and revoke the old one"))

const abandon = Command.make(
  "abandon",
  {
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Confirm that every key is revoked"), Flag.withDefault(false)),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      if (!flags.yes) {
        return yield* new KeysCommandRefused({
          reason: "this permanently revokes every key of every account: confirm with --yes",
        })
      }
      const revoked = yield* Effect.provide(abandonKeys, storesFor(flags.set))
      yield* flags.json ? printJson({ revoked }) : print(`keys revoked: ${revoked}; the next start uses its own secret`)
    }),
).pipe(Command.withDescription("Revoke every key, to start over after the secret they were created with was lost"))

export const keys = Command.make("keys").pipe(
  Command.withDescription(descriptions.keys),
  Command.withSubcommands([create, importKey, list, revoke, rotate, abandon]),
)
