import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { planNames, planOf } from "#src/domain/Plan.ts"
import { issuedBody, type IssuedKey } from "#src/keys/model.ts"
import { Keys } from "#src/keys/Keys.ts"
import { abandonKeys } from "./abandonKeys.ts"
import { json, set } from "./configured.ts"
import { importKey } from "./importKey.ts"
import { asAccountId, asKeyId, asName, KeysCommandRefused, keysFor, limit, name, storesFor } from "./keyServices.ts"
import { plainKey } from "./plainKey.ts"
import { print, printJson, table } from "./print.ts"
import { printKey } from "./printKey.ts"

const id = Argument.String("key").pipe(Argument.withDescription("Id of the key, as in 'presage keys list'"))
const account = Flag.String("account").pipe(
  Flag.withDescription("Id of an account, as in 'presage accounts list'"),
  Flag.optional,
)
const reveal = (issued: IssuedKey, asJson: boolean) => {
  const body = issuedBody(issued)
  if (asJson) return printKey(JSON.stringify(body, null, 2))
  const { record, account: of } = issued
  const lines = [
    body.api_key,
    `key ${record.id}, named ${JSON.stringify(record.name)}`,
    `account ${of.id}, plan ${of.plan}, ${body.rate_limit_per_minute} requests a minute`,
    body.message,
  ]
  return printKey(lines.join("\n"))
}

const create = Command.make(
  "create",
  {
    plan: Flag.Literals("plan", planNames).pipe(
      Flag.withDescription("Plan of the new account (growth unless given)"),
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
          reason: "give --plan for a new account or --account for one that exists, not both",
        })
      }
      const name = yield* asName(flags.name)
      const into = Option.isSome(flags.account) ? yield* asAccountId(flags.account.value) : undefined
      const plan = planOf(Option.getOrElse(flags.plan, () => "growth" as const))
      const issued = yield* Effect.flatMap(
        Keys,
        (keys: Keys["Service"]): ReturnType<Keys["Service"]["createKey"]> =>
          into === undefined ? keys.open(plan, name) : keys.createKey(into, name),
      ).pipe(Effect.provide(keysFor(flags.set)))
      yield* reveal(issued, flags.json)
    }),
).pipe(
  Command.withDescription("Make a key, in a new account unless one is named; it is shown this once"),
  Command.withExamples([
    { command: "presage keys create --plan growth --name ada", description: "A key in an account of its own" },
  ]),
)

const list = Command.make("list", { account, limit, json, set }, (flags) =>
  Effect.gen(function* () {
    const of = Option.isSome(flags.account) ? yield* asAccountId(flags.account.value) : undefined
    const listed = Effect.flatMap(Keys, ({ listKeys }) => listKeys(of, flags.limit))
    const keys = yield* Effect.provide(listed, keysFor(flags.set))
    if (flags.json) return yield* printJson(keys.map(plainKey))
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
).pipe(Command.withDescription("Print keys: first those that work, the newest first"))

const revoke = Command.make("revoke", { id, json, set }, (flags) =>
  Effect.gen(function* () {
    const id = yield* asKeyId(flags.id)
    const revoked = Effect.flatMap(Keys, (keys) => keys.revoke(id))
    const key = yield* Effect.provide(revoked, keysFor(flags.set))
    yield* flags.json
      ? printJson(plainKey(key))
      : print(`revoked ${key.shown} (key ${key.id}) of account ${key.account}`)
  }),
).pipe(Command.withDescription("Make a key stop working, everywhere within seconds"))

const rotate = Command.make("rotate", { id, json, set }, (flags) =>
  Effect.gen(function* () {
    const id = yield* asKeyId(flags.id)
    const rotated = Effect.flatMap(Keys, (keys) => keys.rotate(id))
    yield* reveal(yield* Effect.provide(rotated, keysFor(flags.set)), flags.json)
  }),
).pipe(Command.withDescription("Replace a key by a new one of the same name; the old one stops working"))

const abandon = Command.make(
  "abandon",
  {
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Yes, revoke every key of everybody"), Flag.withDefault(false)),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      if (!flags.yes) {
        return yield* new KeysCommandRefused({
          reason: "this revokes every key of every account for good: say --yes if that is what you want",
        })
      }
      const revoked = yield* Effect.provide(abandonKeys, storesFor(flags.set))
      yield* flags.json
        ? printJson({ revoked })
        : print(`keys revoked: ${revoked}; the next start takes its own secret`)
    }),
).pipe(Command.withDescription("Revoke every key, to start again after the secret they were made with was lost"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Make, list and revoke API keys"),
  Command.withSubcommands([create, importKey, list, revoke, rotate, abandon]),
)
